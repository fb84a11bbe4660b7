//! The examples of `dsl/GRAMMAR.md` are read, and mean a machine.

use std::collections::BTreeMap;
use variopath::diagnostics::{Sources, render};
use variopath::dsl::{self, Machine};

fn examples() -> Vec<Machine> {
    let guide = std::fs::read_to_string("dsl/GRAMMAR.md").unwrap();
    let blocks = guide.split("```topo\n").skip(1).map(|rest| rest.split("```").next().unwrap());
    let read = |text: &str| {
        let mut sources = Sources::new();
        let id = sources.add("example.topo", text);
        let machine = dsl::parse(&sources, id).and_then(|file| {
            let file = dsl::resolve(file, &mut sources, id, &BTreeMap::new())?;
            dsl::elaborate(&file)
        });
        machine.unwrap_or_else(|e| panic!("{text}\n{}", render(&sources, &e, false)))
    };
    blocks.map(read).collect()
}

#[test]
fn every_example_is_a_machine() {
    let names: Vec<String> = examples().into_iter().map(|machine| machine.name).collect();
    assert_eq!(
        names,
        [
            "two-sockets",
            "attributes",
            "ranges",
            "walking",
            "values",
            "parts",
            "cluster",
            "broken-box",
            "ranks",
            "listed",
            "totals",
            "rules"
        ]
    );
}

fn example(name: &str) -> Machine {
    examples().into_iter().find(|machine| machine.name == name).unwrap()
}

fn ranks(machine: &Machine) -> Vec<&str> {
    machine.ranks.iter().map(|gpu| machine.devices[*gpu].path.as_str()).collect()
}

/// `from arrow to rate` of every link.
fn links(machine: &Machine) -> Vec<String> {
    let link = |link: &variopath::dsl::machine::Link| {
        let arrow = if link.duplex { "--" } else { "->" };
        let rate = link.value.rate.map_or("unknown".to_owned(), |rate| rate.to_string());
        let (from, to) = (&machine.devices[link.from].path, &machine.devices[link.to].path);
        format!("{from} {arrow} {to} {rate}")
    };
    machine.links.iter().map(link).collect()
}

#[test]
fn ranks_follow_the_text() {
    assert_eq!(ranks(&example("ranks")), ["h[0].g[0]", "h[1].g[0]", "h[0].g[1]", "h[1].g[1]"]);
    assert_eq!(ranks(&example("listed")), ["g[3]", "g[0]", "g[1]"]);
    assert_eq!(
        ranks(&example("broken-box")),
        ["g[0]", "g[1]", "g[2]", "g[3]", "g[4]", "g[6]", "g[7]"]
    );
}

#[test]
fn links_follow_the_text() {
    assert_eq!(
        links(&example("values")),
        ["s[0] -- s[1] 39 GB/s", "g[0] -- s[0] 26.3 GB/s", "g[1] -- s[1] unknown"]
    );
    let broken = links(&example("broken-box"));
    assert_eq!(broken[..2], ["s[0] -> s[1] 30 GB/s", "s[1] -> s[0] 39 GB/s"]);
    assert!(broken.contains(&"g[3] -- sw[1] 13.15 GB/s".to_owned()));
    assert_eq!(broken.len(), 2 + 4 + 7 + 3);
    let cluster = links(&example("cluster"));
    assert_eq!(
        cluster[2 * 17..],
        [0, 1]
            .map(|h| [0, 1, 2, 3].map(|n| format!("h[{h}].n[{n}] -- rail[{n}] 50 GB/s")))
            .concat()
    );
}

#[test]
fn parts_and_rules_keep_their_paths() {
    let parts = example("parts");
    assert_eq!(
        links(&parts)[..2],
        ["h[0].g[0] -- h[0].s 26.3 GB/s", "h[0].g[1] -- h[0].s 26.3 GB/s"]
    );
    assert_eq!(example("rules").rules.len(), 13);
}

#[test]
fn totals_follow_the_text() {
    let machine = example("totals");
    let direction = |&(link, forward): &(usize, bool)| {
        let link = &machine.links[link];
        let (from, to) = if forward { (link.from, link.to) } else { (link.to, link.from) };
        format!("{} -> {}", machine.devices[from].path, machine.devices[to].path)
    };
    let total = |total: &variopath::dsl::machine::Total| {
        let links: Vec<String> = total.links.iter().map(direction).collect();
        format!("{} = {}: {}", total.name, total.value.rate.unwrap(), links.join(", "))
    };
    assert_eq!(
        machine.totals.iter().map(total).collect::<Vec<_>>(),
        [
            "s[0] -- s[1] = 64 GB/s: s[0] -> s[1], s[1] -> s[0]",
            "v[0], v[1] = 143 GB/s: s[0] -> v[0], g[0] -> v[0], g[1] -> v[0], \
             s[0] -> v[1], g[2] -> v[1], g[3] -> v[1]",
            "v[0..2] -> s[0] = 82 GB/s: v[0] -> s[0], v[1] -> s[0]",
            "v[0] -- s[0] = 100 GB/s: v[0] -> s[0], s[0] -> v[0]",
            "v[1] -- s[0] = 100 GB/s: v[1] -> s[0], s[0] -> v[1]",
            "v[2] -- s[1] = 100 GB/s: v[2] -> s[1], s[1] -> v[2]",
            "v[3] -- s[1] = 100 GB/s: v[3] -> s[1], s[1] -> v[3]",
        ]
    );
}
