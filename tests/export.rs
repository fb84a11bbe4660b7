//! Machines in the formats of other tools, and back.

use std::path::PathBuf;
use variopath::diagnostics::{Sources, render};
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
    let folder = std::env::var_os("VARIOPATH_CORPUS").map_or_else(
        || PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../shared/corpus"),
        PathBuf::from,
    );
    let Ok(entries) = std::fs::read_dir(folder.join("nccl-xml")) else {
        eprintln!("SKIPPED export: no corpus");
        return;
    };
    let mut count = 0;
    for path in entries.map(|entry| entry.unwrap().path()) {
        let text = std::fs::read_to_string(&path).unwrap();
        let mut sources = Sources::new();
        let id = sources.add("original.xml", text);
        let Ok(first) = import::read(&sources, &[id], None) else { continue };
        let machine = dsl::elaborate(&first.file).unwrap();
        let exported = nccl_xml(&machine).unwrap();
        let second = import("exported.xml", &exported.text);
        assert_eq!(
            dsl::format(&bare(&second.file)),
            dsl::format(&bare(&first.file)),
            "{}\n{}",
            path.display(),
            exported.text
        );
        assert_eq!(bare(&second.file), bare(&first.file), "{}", path.display());
        assert_eq!(nccl_xml(&dsl::elaborate(&second.file).unwrap()).unwrap().text, exported.text);
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
    let exported = nccl_xml(&machine(SMALL)).unwrap();
    assert_eq!(
        exported.text,
        r#"<!-- small by variopath
     bus ids are invented for g[1], g[2], n[0]
     network devices have the names of the description, not those of the system
     rates that no PCIe link has became the nearest: g[2]
     NCCL XML cannot say, left out: rules (avoid, peer); one-way links (g[2]); rates between sockets; models
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
            "NCCL XML cannot say, left out: rules (avoid, peer); one-way links (g[2]); rates between \
             sockets; models",
        ]
    );
    let back = import("small.xml", &exported.text).overview;
    assert_eq!((back.gpus, back.nics, back.sockets, back.switches), (3, 2, 2, 1));
    assert_eq!(back.same_switch, [vec![0, 1]]);
}

#[test]
fn presets_are_written_and_read_back() {
    for preset in dsl::presets() {
        let machine = machine(preset.text);
        let Ok(exported) = nccl_xml(&machine) else {
            // Clusters are no single machine.
            assert!(preset.text.contains("fabric"), "{}", preset.name);
            continue;
        };
        let back = import(preset.name, &exported.text).overview;
        let count =
            |word: &str| machine.devices.iter().filter(|device| device.kind.word() == word).count();
        let expected = ["gpu", "nic", "socket", "switch"].map(count);
        assert_eq!(
            [back.gpus, back.nics, back.sockets, back.switches],
            expected,
            "{}\n{}",
            preset.name,
            exported.text
        );
    }
}

#[test]
fn several_nodes_are_refused() {
    let text = "topology \"pair\"\npart h { socket s; gpu g -- s : 12 GB/s; nic n -- s : 12 GB/s }\n\
                h x[2]\nfabric f\nx[*].n -- f : 100 Gb/s\n";
    let faults = nccl_xml(&machine(text)).expect_err("two nodes");
    assert_eq!(
        render(&Sources::new(), &faults, false),
        "error[export-nodes]: the machine has 2 nodes, and a topology file of NCCL describes one\n \
         |\n = help: export the description of one node: NCCL reads such a file on each\n"
    );
}

#[test]
fn machines_without_a_socket_and_links_beside_the_tree() {
    let text = "topology \"odd\"\nswitch a; switch b; gpu g[4]\na -- b : 20 GB/s\n\
                g[0..2] -- a : pcie gen4 x16\ng[2..4] -- b : pcie gen4 x16\ng[1] -- g[2] : 50 GB/s\n";
    let exported = nccl_xml(&machine(text)).unwrap();
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
    }
}
