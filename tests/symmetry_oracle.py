"""Holds the symmetry of machines against networkx, a graph library that shares nothing with ours.

    python3 tests/symmetry_oracle.py FOLDER

The folder holds what tests/symmetry.rs writes: a machine with its symmetry on each line. A machine
becomes a coloured graph in which everything is a node: devices, directed links, joint capacities,
routes, pairs kept apart, limits. What its automorphisms do to the devices is the group.

Its order is the product of the sizes of orbits: of a device under all of the group, of a second one
under what leaves the first in place, and so on. Whether something leaves some devices in place and
takes v to w is a question of isomorphism: the graph with v marked, and with w. networkx answers it;
colours are refined before, which excludes most of its wrong turns. Where a group is small, networkx
lists it, too.
"""

import json
import sys
from collections import Counter
from pathlib import Path

import networkx as nx
from networkx.algorithms.isomorphism import GraphMatcher

# Groups of so many elements are also counted one by one.
LISTED = 12


def key(*parts):
    """One text for what must be equal; `None` is not 0."""
    return json.dumps(parts)


def drawn(machine):
    """The graph of a machine; what edges between two nodes stand for is one sorted list."""
    graph = nx.Graph()

    def joined(a, b, role):
        if not graph.has_edge(a, b):
            graph.add_edge(a, b, roles=[])
        graph.edges[a, b]["roles"].append(role)

    lost = {}
    for of in machine["efficiency"]:
        lost.setdefault(of["link"], []).append([of.get("mode") or "", of["steps"]])
    at = {}
    for index, vertex in enumerate(machine["vertices"]):
        ranked = vertex["rank"] is not None
        if ranked:
            at[vertex["rank"]] = ("device", index)
        graph.add_node(("device", index), kind=key(vertex["kind"], ranked, vertex["parts"]))
    for index, resource in enumerate(machine["resources"]):
        node, capacity = ("resource", index), resource["capacity"]
        if "from" in resource:
            graph.add_node(node, kind=key("link", capacity, sorted(lost.get(index, []))))
            joined(node, ("device", resource["from"]), "from")
            joined(node, ("device", resource["to"]), "to")
        elif "of" in resource:
            graph.add_node(node, kind=key("total", capacity))
            for link in resource["of"]:
                joined(node, ("resource", link), "of")
        else:
            graph.add_node(node, kind=key("memory", capacity))
            joined(node, ("device", resource["memory"]), "of")
    for index, route in enumerate(machine["routes"]):
        node = ("route", index)
        told = [route[what] for what in ("class", "mode", "initiator", "rate", "paced")]
        graph.add_node(node, kind=key("route", *told))
        joined(node, at[route["src"]], "source")
        joined(node, at[route["dst"]], "destination")
        for place, link in enumerate(route["links"]):
            joined(node, ("resource", link), f"way {place}")
        for share in route["shares"]:
            joined(node, ("resource", share), "share")
    for index, pair in enumerate(machine["forbidden"]):
        graph.add_node(("apart", index), kind=key("apart"))
        for route in pair:
            joined(("apart", index), ("route", route), "of")
    for index, limit in enumerate(machine["limits"]):
        graph.add_node(("limit", index), kind=key("limit", limit["most"]))
        for route in limit["routes"]:
            joined(("limit", index), ("route", route), "of")
    for _, _, edge in graph.edges(data=True):
        edge["roles"] = key(*sorted(edge["roles"]))
    return graph


def refined(graph, colourings):
    """Colourings of one graph, split by the colours of neighbours until nothing splits; a colour
    means the same in all of them. Nothing where they come apart: no isomorphism leads across."""
    while True:
        seen = []
        for colours in colourings:
            views = {}
            for node, edges in graph.adjacency():
                around = sorted((edge["roles"], colours[to]) for to, edge in edges.items())
                views[node] = (colours[node], tuple(around))
            seen.append(views)
        known = sorted({view for views in seen for view in views.values()})
        names = {view: name for name, view in enumerate(known)}
        finer = [{node: names[view] for node, view in views.items()} for views in seen]
        sizes = Counter(finer[0].values())
        if any(Counter(colours.values()) != sizes for colours in finer[1:]):
            return None
        if len(names) == len(set(colourings[0].values())):
            return finer
        colourings = finer


class Group:
    """What the automorphisms of a machine's graph do to its devices."""

    def __init__(self, machine):
        self.graph = drawn(machine)
        self.devices = [("device", index) for index in range(len(machine["vertices"]))]
        kinds = {}
        colours = {
            node: kinds.setdefault(kind, len(kinds)) for node, kind in self.graph.nodes(data="kind")
        }
        [self.colours] = refined(self.graph, [colours])
        self.generators = []
        self.order = 1
        self.chain()

    def isomorphisms(self, one, other):
        """Those from the graph in one refined colouring to that in another, as networkx finds them.

        Nodes with a colour of their own have one place to go to, and the colours of the others tell
        what joins them to it: networkx is asked about the rest."""
        sizes = Counter(one.values())
        graphs, alone = [], []
        for colours in (one, other):
            rest = [node for node, colour in colours.items() if sizes[colour] > 1]
            graph = self.graph.subgraph(rest).copy()
            nx.set_node_attributes(graph, {node: colours[node] for node in rest}, "colour")
            graphs.append(graph)
            alone.append({colour: node for node, colour in colours.items() if sizes[colour] == 1})
        matcher = GraphMatcher(
            *graphs,
            node_match=lambda a, b: a["colour"] == b["colour"],
            edge_match=lambda a, b: a["roles"] == b["roles"],
        )
        for found in matcher.isomorphisms_iter():
            found |= {node: alone[1][colour] for colour, node in alone[0].items()}
            for a, b, roles in self.graph.edges(data="roles"):
                assert self.graph.edges[found[a], found[b]]["roles"] == roles
            yield found

    def taking(self, moves):
        """An automorphism that takes some devices where they are to go; nothing without one."""
        marked = [dict(self.colours), dict(self.colours)]
        for mark, move in enumerate(moves):
            if self.colours[move[0]] != self.colours[move[1]]:
                return None
            for colours, device in zip(marked, move):
                colours[device] = -1 - mark
        finer = refined(self.graph, marked)
        return finer and next(self.isomorphisms(*finer), None)

    def chain(self):
        """Orbit by orbit, the base growing by a device that still moves."""
        base = []
        levels = []
        colours = self.colours
        while True:
            cells = {}
            for device in self.devices:
                cells.setdefault(colours[device], []).append(device)
            cell = min((c for c in cells.values() if len(c) > 1), key=len, default=None)
            if cell is None:
                break
            levels.append((list(base), cell))
            base.append(cell[0])
            colours = dict(colours)
            colours[cell[0]] = -1
            [colours] = refined(self.graph, [colours])
        # The longest base first: what is found there is known where less is fixed.
        for base, cell in reversed(levels):
            first = cell[0]
            orbit = self.orbit(base, first)
            apart = set()
            for other in cell:
                if other in orbit or other in apart:
                    continue
                found = self.taking([*((fixed, fixed) for fixed in base), (first, other)])
                if found is None:
                    apart |= self.orbit(base, other)
                else:
                    self.generators.append(found)
                    orbit = self.orbit(base, first)
            self.order *= len(orbit)

    def orbit(self, base, device):
        """Where the generators that fix the base take a device."""
        fixing = [g for g in self.generators if all(g[fixed] == fixed for fixed in base)]
        return closure(device, lambda at: (generator[at] for generator in fixing))

    def listed(self):
        """The number of elements, each found by networkx."""
        found = self.isomorphisms(self.colours, self.colours)
        # Some may differ in what is no device only.
        return len({tuple(one[device] for device in self.devices) for one in found})

    def has(self, generator):
        """Whether a permutation of the numbers of devices is in the group."""
        images = [("device", image) for image in generator]
        return sorted(images) == self.devices and self.taking(zip(self.devices, images)) is not None


def closure(start, images):
    """All that is reached."""
    reached, open_ = {start}, [start]
    while open_:
        for image in images(open_.pop()):
            if image not in reached:
                reached.add(image)
                open_.append(image)
    return reached


def generated(permutations, points):
    """The order of the group that permutations generate (Knuth, "Efficient representation of perm
    groups", 1991)."""
    identity = tuple(range(points))
    # For each base point the generators that fix those before it, and by image what leads there.
    levels = []

    def after(a, b):
        return tuple(b[point] for point in a)

    def inverse(a):
        back = [0] * points
        for point, image in enumerate(a):
            back[image] = point
        return tuple(back)

    def is_known(permutation, depth):
        for base, _, ways in levels[depth:]:
            if permutation[base] not in ways:
                return False
            permutation = after(permutation, inverse(ways[permutation[base]]))
        return permutation == identity

    def add(permutation, depth):
        """Takes in a permutation that fixes the base points before a depth."""
        if is_known(permutation, depth):
            return
        if depth == len(levels):
            base = next(point for point in identity if permutation[point] != point)
            levels.append((base, [], {base: identity}))
        _, own, ways = levels[depth]
        own.append(permutation)
        open_ = [(image, permutation) for image in ways]
        while open_:
            image, generator = open_.pop()
            way = after(ways[image], generator)
            if generator[image] in ways:
                add(after(way, inverse(ways[generator[image]])), depth + 1)
            else:
                ways[generator[image]] = way
                open_ += [(generator[image], other) for other in own]

    for permutation in permutations:
        add(tuple(permutation), 0)
    order = 1
    for _, _, ways in levels:
        order *= len(ways)
    return order


def pair_orbits(machine, group):
    """The number of orbits of ordered pairs of different ranks."""
    ranked = [("device", i) for i, v in enumerate(machine["vertices"]) if v["rank"] is not None]
    pairs = {(a, b) for a in ranked for b in ranked if a != b}
    count = 0
    while pairs:
        pairs -= closure(
            next(iter(pairs)), lambda pair: ((g[pair[0]], g[pair[1]]) for g in group.generators)
        )
        count += 1
    return count


def disagreement(machine):
    """What networkx says otherwise of a machine; and the order of its group."""
    group = Group(machine)
    claimed = int(machine["order"])
    if group.order != claimed:
        return f"the order is {group.order}, not {claimed}", 0
    if claimed <= LISTED and group.listed() != claimed:
        return f"there are {group.listed()} automorphisms, not {claimed}", 0
    orbits = pair_orbits(machine, group)
    if orbits != machine["pair_orbits"]:
        return f"there are {orbits} orbits of pairs, not {machine['pair_orbits']}", 0
    for index, generator in enumerate(machine["generators"]):
        if not group.has(generator):
            return f"generator {index} is no automorphism", 0
    made = generated(machine["generators"], len(machine["vertices"]))
    if made != claimed:
        return f"its generators make a group of {made}, not {claimed}", 0
    return None, claimed


def main():
    folder = Path(sys.argv[1])
    orders = []
    for path in sorted(folder.glob("*.jsonl")):
        lines = path.read_text().splitlines()
        if not lines:
            raise SystemExit(f"{path.name} is empty")
        for number, line in enumerate(lines, 1):
            machine = json.loads(line)
            fault, order = disagreement(machine)
            if fault is not None:
                print(machine.get("text", ""), file=sys.stderr)
                raise SystemExit(f"{path.name}, line {number}, {machine['name']}: {fault}")
            orders.append(order)
    if not orders:
        raise SystemExit(f"no machines in {folder}")
    print(f"{len(orders)} machines, orders {min(orders)} to {max(orders)}, all agree")


main()
