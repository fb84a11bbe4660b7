//! Machines in the formats of other tools, and back.

mod import_support;

use import_support::{corpus, names};
use std::io::Write as _;
use std::process::Stdio;
use variopath::base::DeviceKind;
use variopath::diagnostics::{Exit, Sources, render};
use variopath::dsl::tree::File;
use variopath::dsl::{self, Machine};
use variopath::export::{Exported, dot, nccl_xml};
use variopath::import::{self, Imported};

fn import(name: &str, text: &str) -> Imported {
    let mut sources = Sources::new();
    let id = sources.add(name, text);
    import::read(&sources, &[id], None)
        .unwrap_or_else(|faults| panic!("{text}\n{}", render(&sources, &faults, false)))
}

fn machine(text: &str) -> Machine {
    let mut sources = Sources::new();
    let id = sources.add("m.topo", text);
    let file = dsl::parse(&sources, id)
        .and_then(|file| dsl::resolve(file, &mut sources, id, &std::collections::BTreeMap::new()));
    file.and_then(|file| dsl::elaborate(&file))
        .unwrap_or_else(|faults| panic!("{}", render(&sources, &faults, false)))
}

fn messages(exported: &Exported) -> Vec<String> {
    exported.notes.iter().map(|note| note.message.clone()).collect()
}

/// The tree without its heading: names and addresses that the language has no words for.
fn bare(file: &File) -> File {
    File { leading: Vec::new(), ..file.clone() }
}

#[test]
fn what_was_imported_comes_back_equal() {
    let Some(folder) = corpus("nccl-xml") else { return };
    let mut count = 0;
    for path in names(&folder).iter().map(|name| folder.join(name)) {
        let text = std::fs::read_to_string(&path).unwrap();
        let mut sources = Sources::new();
        let id = sources.add("original.xml", text);
        let Ok(first) = import::read(&sources, &[id], None) else { continue };
        let machine = dsl::elaborate(&first.file).unwrap();
        let exported = nccl_xml(&machine, None).unwrap();
        let second = import("exported.xml", &exported.text);
        assert_eq!(
            dsl::format(&bare(&second.file)),
            dsl::format(&bare(&first.file)),
            "{}\n{}",
            path.display(),
            exported.text
        );
        assert_eq!(bare(&second.file), bare(&first.file), "{}", path.display());
        assert_eq!(
            nccl_xml(&dsl::elaborate(&second.file).unwrap(), None).unwrap().text,
            exported.text
        );
        count += 1;
    }
    assert_eq!(count, 23);
}

const SMALL: &str = "topology \"small\"
link up = pcie gen4 x16
socket s[2]
switch sw { bus \"0000:16:00.0\" }
gpu g[3] { arch sm_89, model \"L20\" }
nic n[2]
fabric leaf
s[0] -- s[1] : 39 GB/s
sw -- s[0] : up
g[0..2] -- sw : pcie gen2 x8
g[2] -> s[1] : 20 GB/s
s[1] -> g[2] : 10 GB/s
n[0] -- sw : up
n[1] -- s[1] : unknown
n[0] -- leaf : 200 Gb/s
set g[0] { bus \"0000:17:00.0\" }
peer nic none
avoid push from same switch to different uplink : 2.7 GB/s
";

#[test]
fn a_topology_file_of_nccl() {
    let exported = nccl_xml(&machine(SMALL), None).unwrap();
    assert_eq!(
        exported.text,
        r#"<!-- small by variopath
     bus ids are invented for g[1], g[2], n[0]
     network devices have the names of the description, not those of the system
     rates that no PCIe link has became the nearest: g[2]
     NCCL XML cannot say, left out: rules (avoid); one-way links (g[2]); rates between sockets; models
-->
<system version="1">
  <cpu numaid="0">
    <pci busid="0000:16:00.0" class="0x060400" link_speed="16.0 GT/s PCIe" link_width="16">
      <pci busid="0000:17:00.0" class="0x030200" link_speed="5.0 GT/s PCIe" link_width="8">
        <gpu dev="0" sm="89" rank="0" gdr="0"/>
      </pci>
      <pci busid="ffff:ff:01.0" class="0x030200" link_speed="5.0 GT/s PCIe" link_width="8">
        <gpu dev="1" sm="89" rank="1" gdr="0"/>
      </pci>
      <pci busid="ffff:ff:03.0" class="0x020000" link_speed="16.0 GT/s PCIe" link_width="16">
        <nic>
          <net name="n[0]" dev="0" speed="200000" port="1" gdr="0"/>
        </nic>
      </pci>
    </pci>
  </cpu>
  <cpu numaid="1">
    <pci busid="ffff:ff:02.0" class="0x030200" link_speed="8.0 GT/s PCIe" link_width="16">
      <gpu dev="2" sm="89" rank="2" gdr="0"/>
    </pci>
    <nic>
      <net name="n[1]" dev="1" speed="0" port="1" gdr="0"/>
    </nic>
  </cpu>
</system>
"#
    );
    assert_eq!(
        messages(&exported),
        [
            "bus ids are invented for g[1], g[2], n[0]",
            "network devices have the names of the description, not those of the system",
            "rates that no PCIe link has became the nearest: g[2]",
            "NCCL XML cannot say, left out: rules (avoid); one-way links (g[2]); rates between \
             sockets; models",
        ]
    );
    let back = import("small.xml", &exported.text).overview;
    assert_eq!((back.gpus, back.nics, back.sockets, back.switches), (3, 2, 2, 1));
    assert_eq!(back.same_switch, [vec![0, 1]]);
}

/// Each GPU and network card: the rates of the links up to its socket, and who shares them.
fn ways(machine: &Machine, inside: &str) -> Vec<Vec<String>> {
    let devices = &machine.devices;
    let above = |device: usize| {
        let links = machine.links.iter().filter(|link| link.from == device);
        let up = |kind| matches!(kind, DeviceKind::Switch | DeviceKind::Socket);
        links.into_iter().find(|link| up(devices[link.to].kind))
    };
    let way = |device: usize| {
        let (mut way, mut at) = (Vec::new(), device);
        while let Some(link) = above(at).filter(|_| devices[at].kind != DeviceKind::Socket) {
            way.push((link.to, link.value.rate));
            at = link.to;
        }
        way
    };
    let cards: Vec<usize> = [DeviceKind::Gpu, DeviceKind::Nic]
        .into_iter()
        .flat_map(|kind| (0..devices.len()).filter(move |&device| devices[device].kind == kind))
        .filter(|&device| devices[device].path.starts_with(inside))
        .collect();
    cards
        .iter()
        .map(|&card| {
            let steps = way(card).into_iter().map(|(place, rate)| {
                let below: Vec<usize> = (0..cards.len())
                    .filter(|&other| way(cards[other]).iter().any(|step| step.0 == place))
                    .collect();
                format!("{rate:?} {} {below:?}", devices[place].kind.word())
            });
            steps.collect()
        })
        .collect()
}

#[test]
fn presets_are_written_and_read_back() {
    let mut clusters = 0;
    for preset in dsl::presets() {
        let machine = machine(preset.text);
        let nodes = match nccl_xml(&machine, None) {
            Ok(_) => vec![(None, "")],
            Err(faults) => {
                let refusal = render(&Sources::new(), &faults, false);
                assert!(refusal.contains("say which one: `--node 0` to"), "{refusal}");
                clusters += 1;
                vec![(Some(0), "h[0]."), (Some(1), "h[1].")]
            }
        };
        for (node, inside) in nodes {
            let exported = nccl_xml(&machine, node).unwrap();
            let back = import(preset.name, &exported.text);
            let read = dsl::elaborate(&back.file).unwrap();
            let shown = format!("{} {node:?}\n{}", preset.name, exported.text);
            assert_eq!(ways(&read, ""), ways(&machine, inside), "{shown}");
            let count = |machine: &Machine, kind, inside: &str| {
                let all = machine.devices.iter();
                all.filter(|device| device.kind == kind && device.path.starts_with(inside)).count()
            };
            for kind in [DeviceKind::Socket, DeviceKind::Switch] {
                assert_eq!(count(&read, kind, ""), count(&machine, kind, inside), "{shown}");
            }
        }
    }
    assert!(clusters > 0);
}

#[test]
fn one_node_of_several() {
    let text = "topology \"pair\"\npart h { socket s; gpu g -- s : 12 GB/s; nic n -- s : 12 GB/s }\n\
                h x[2]\nfabric f\nx[*].n -- f : 100 Gb/s\nset x[1].g { bus \"00000000:AB:00.0\" }\n";
    let refusal = |node| {
        let faults = nccl_xml(&machine(text), node).expect_err("no such node");
        (render(&Sources::new(), &faults, false), faults.exit())
    };
    assert_eq!(
        refusal(None),
        (
            "error[export-nodes]: the machine has 2 nodes, and a topology file of NCCL describes \
             one\n |\n = help: say which one: `--node 0` to `--node 1`; NCCL reads such a file on \
             each\n"
                .to_owned(),
            Some(Exit::Failed)
        )
    );
    let (message, exit) = refusal(Some(2));
    assert!(message.contains("there is no node 2") && message.contains("the last one is 1"));
    assert_eq!(exit, Some(Exit::Usage));
    let exported = nccl_xml(&machine(text), Some(1)).unwrap();
    assert_eq!(
        exported.text,
        r#"<!-- pair by variopath
     bus ids are invented for x[1].n
     network devices have the names of the description, not those of the system
-->
<system version="1">
  <cpu numaid="0">
    <pci busid="0000:ab:00.0" class="0x030200" link_speed="8.0 GT/s PCIe" link_width="16">
      <gpu dev="0" rank="0" gdr="1"/>
    </pci>
    <pci busid="ffff:ff:01.0" class="0x020000" link_speed="8.0 GT/s PCIe" link_width="16">
      <nic>
        <net name="x[1].n" dev="0" speed="100000" port="1" gdr="1"/>
      </nic>
    </pci>
  </cpu>
</system>
"#
    );
}

/// Every dump as a file of NCCL: what is left of it is the same machine.
#[test]
fn whatever_is_imported_goes_to_nccl_and_back() {
    let mut count = 0;
    for kind in ["nccl-xml", "smi-topo", "hwloc-xml", "lspci"] {
        let Some(folder) = corpus(kind) else { return };
        for name in names(&folder) {
            let text = std::fs::read_to_string(folder.join(&name)).unwrap();
            let Ok(first) = import_support::import(&name, &text, None) else { continue };
            let machine = dsl::elaborate(&first.file).unwrap();
            let exported = nccl_xml(&machine, None).unwrap();
            let second = import(&name, &exported.text);
            let read = dsl::elaborate(&second.file).unwrap();
            assert_eq!(ways(&read, ""), ways(&machine, ""), "{name}\n{}", exported.text);
            let ids = exported.text.split("busid=\"").skip(1).map(|rest| &rest[..12]);
            let ids: Vec<&str> = ids.collect();
            let once: std::collections::BTreeSet<&str> = ids.iter().copied().collect();
            assert_eq!(ids.len(), once.len(), "{name}: a bus id stands twice");
            count += 1;
        }
    }
    assert_eq!(count, 80);
}

#[test]
fn machines_without_a_socket_and_links_beside_the_tree() {
    let text = "topology \"odd\"\nswitch a; switch b; gpu g[4]\na -- b : 20 GB/s\n\
                g[0..2] -- a : pcie gen4 x16\ng[2..4] -- b : pcie gen4 x16\ng[1] -- g[2] : 50 GB/s\n";
    let exported = nccl_xml(&machine(text), None).unwrap();
    let notes = messages(&exported);
    assert_eq!(notes[1], "no socket is above a: put on NUMA node -1");
    assert_eq!(notes[3], "NCCL XML cannot say, left out: links beside the tree (g[1] -- g[2])");
    let back = import("odd.xml", &exported.text).overview;
    assert_eq!((back.gpus, back.switches), (4, 2));
    assert_eq!(back.same_root_port, [vec![0, 1, 2, 3]]);
}

#[test]
fn a_drawing() {
    let text = "topology \"two \\ \"\nsocket s; switch sw; gpu g[2] { arch sm_89 }\n\
                sw -- s : unknown\ng[0] -- sw : pcie gen4 x16\ng[1] -> sw : 20 GB/s assumed \"a\"\n";
    let exported = dot(&machine(&text.replace(" \\ ", "")));
    assert!(exported.notes.is_empty());
    assert_eq!(
        exported.text,
        r##"digraph "two" {
  graph [compound=true, rankdir=TB, fontname="sans-serif", style=rounded]
  node [shape=box, fontname="sans-serif"]
  edge [dir=both, fontname="sans-serif", fontsize=10]
  subgraph "cluster_s" {
    label="s"
    "s" [label="s", style=bold]
    "sw" [label="sw", shape=ellipse]
    "g[0]" [label="g[0]\nsm_89", style=filled, fillcolor="#d9ead3"]
    "g[1]" [label="g[1]\nsm_89", style=filled, fillcolor="#d9ead3"]
  }
  "s" -> "sw" [label="unknown", style=dashed]
  "sw" -> "g[0]" [label="gen4 x16, 26.3 GB/s"]
  "sw" -> "g[1]" [label="20 GB/s, assumed", dir=back]
}
"##
    );
}

#[test]
fn every_drawing_is_balanced() {
    for preset in dsl::presets() {
        let machine = machine(preset.text);
        let text = dot(&machine).text;
        let count = |c: char| text.chars().filter(|&other| other == c).count();
        assert_eq!(count('{'), count('}'), "{text}");
        for device in &machine.devices {
            assert!(text.contains(&format!("\"{}\" [label=", device.path)), "{}", device.path);
        }
        assert_eq!(text.matches(" -> ").count(), machine.links.len(), "{}", preset.name);
        match drawn(&text) {
            Some(Ok(picture)) => assert!(picture.contains("</svg>"), "{}", preset.name),
            Some(Err(complaint)) => panic!("{}: {complaint}\n{text}", preset.name),
            None => return eprintln!("SKIPPED export: no Graphviz"),
        }
    }
}

/// What Graphviz makes of a drawing, or its complaint; `None` where it is not installed.
fn drawn(text: &str) -> Option<Result<String, String>> {
    let mut command = std::process::Command::new("dot");
    command.arg("-Tsvg").stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().ok()?;
    // Small enough for a pipe's buffer or read as it comes: Graphviz reads all before it writes.
    child.stdin.take()?.write_all(text.as_bytes()).ok()?;
    let output = child.wait_with_output().ok()?;
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let quiet = output.status.success() && output.stderr.is_empty();
    Some(if quiet { Ok(text(&output.stdout)) } else { Err(text(&output.stderr)) })
}
