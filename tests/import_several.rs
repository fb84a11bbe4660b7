//! Several dumps of one machine: what each adds, and what is said where they differ.

use variopath::diagnostics::{Sources, render};
use variopath::dsl;
use variopath::import;

/// The topology file and the notes, or the errors, of these dumps.
fn import(files: &[(&str, &str)]) -> Result<(String, String), String> {
    let mut sources = Sources::new();
    let inputs: Vec<_> = files.iter().map(|(name, text)| sources.add(*name, *text)).collect();
    match import::read(&sources, &inputs, None) {
        Ok(imported) => {
            let text = dsl::format(&imported.file);
            Ok((text, render(&sources, &imported.notes, false)))
        }
        Err(faults) => Err(render(&sources, &faults, false)),
    }
}

/// What follows the first line that starts with `from`, without comments.
fn statements(text: &str) -> Vec<String> {
    let lines = text.lines().filter(|line| !line.starts_with('#') && !line.is_empty());
    lines.map(|line| line.split("  #").next().unwrap_or_default().to_owned()).collect()
}

/// Two GPUs behind a switch of each of two NUMA nodes, as NCCL writes them.
const NCCL: &str = r#"<system version="1">
  <cpu numaid="0" affinity="00ff" arch="x86_64" vendor="GenuineIntel" familyid="6" modelid="143">
    <pci busid="0000:15:00.0" class="0x060400" link_speed="16.0 GT/s PCIe" link_width="16">
      <pci busid="0000:17:00.0" class="0x030200" link_speed="16.0 GT/s PCIe" link_width="16"><gpu dev="0" sm="89" rank="0"/></pci>
      <pci busid="0000:18:00.0" class="0x030200" link_speed="" link_width="0"><gpu dev="1" sm="89" rank="1"/></pci>
    </pci>
  </cpu>
  <cpu numaid="1" affinity="ff00" arch="x86_64" vendor="GenuineIntel" familyid="6" modelid="143">
    <pci busid="0000:95:00.0" class="0x060400" link_speed="16.0 GT/s PCIe" link_width="16">
      <pci busid="0000:97:00.0" class="0x030200" link_speed="16.0 GT/s PCIe" link_width="16"><gpu dev="2" sm="89" rank="2"/></pci>
      <pci busid="0000:98:00.0" class="0x030200" link_speed="16.0 GT/s PCIe" link_width="16"><gpu dev="3" sm="89" rank="3"/></pci>
    </pci>
  </cpu>
</system>
"#;

/// What another tool may know of one of them: the same bus id, a speed, and nothing else.
const SECOND_SPEED: &str = r#"<system version="1">
  <cpu numaid="0">
    <pci busid="0000:15:00.0" class="0x060400" link_speed="" link_width="0">
      <pci busid="0000:18:00.0" class="0x030200" link_speed="8.0 GT/s PCIe" link_width="8"><gpu dev="1" sm="89" rank="1"/></pci>
    </pci>
  </cpu>
</system>
"#;

const MATRIX: &str = "\tGPU0\tGPU1\tGPU2\tGPU3\tCPU Affinity\tNUMA Affinity\n\
    GPU0\t X \tPIX\tSYS\tSYS\t0-7\t0\n\
    GPU1\tPIX\t X \tSYS\tSYS\t0-7\t0\n\
    GPU2\tSYS\tSYS\t X \tPIX\t8-15\t1\n\
    GPU3\tSYS\tSYS\tPIX\t X \t8-15\t1\n";

fn peers(command: &str, cells: [[&str; 4]; 4]) -> String {
    let rows = cells.iter().enumerate().map(|(row, cells)| {
        let cells = cells.iter().map(|cell| format!("\t{cell}")).collect::<String>();
        format!(" GPU{row}{cells}\t\n")
    });
    format!("{command} \tGPU0\tGPU1\tGPU2\tGPU3\t\n{}", rows.collect::<String>())
}

const WITHIN: [[&str; 4]; 4] = [
    ["X", "OK", "CNS", "CNS"],
    ["OK", "X", "CNS", "CNS"],
    ["CNS", "CNS", "X", "OK"],
    ["CNS", "CNS", "OK", "X"],
];

#[test]
fn what_one_leaves_open_the_other_fills() {
    let (alone, _) = import(&[("nccl.xml", NCCL)]).unwrap();
    assert!(alone.contains("unknown"), "{alone}");
    let (text, notes) = import(&[("nccl.xml", NCCL), ("more.xml", SECOND_SPEED)]).unwrap();
    let lines = statements(&text);
    assert!(lines.contains(&"link gen3x8 = pcie gen3 x8".to_owned()), "{text}");
    assert!(lines.contains(&"g[1] -- sw[0] : gen3x8".to_owned()), "{text}");
    let missing = "GPUs of nccl.xml that more.xml does not have: 0000:17:00.0, 0000:97:00.0, \
                   0000:98:00.0";
    assert!(notes.contains(missing), "{notes}");
    // The order of the files does not matter.
    assert_eq!(import(&[("more.xml", SECOND_SPEED), ("nccl.xml", NCCL)]).unwrap().0, text);
}

#[test]
fn the_slower_of_two_speeds_is_taken_and_said() {
    let other = SECOND_SPEED.replace("0000:18:00.0", "0000:17:00.0");
    let (text, notes) = import(&[("nccl.xml", NCCL), ("more.xml", &other)]).unwrap();
    assert!(statements(&text).contains(&"g[0] -- sw[0] : gen3x8".to_owned()), "{text}");
    let said = "0000:17:00.0 is capable of gen4 x16 in nccl.xml and of gen3 x8 in more.xml: the \
                slower is taken";
    assert!(notes.contains(said), "{notes}");
    assert!(notes.contains("nccl.xml:4:") && notes.contains("more.xml:4:"), "{notes}");
}

#[test]
fn two_machines_are_refused() {
    let far = NCCL.replace("0000:", "0001:");
    let error = import(&[("one.xml", NCCL), ("two.xml", &far)]).unwrap_err();
    let said = "two.xml shares no device with one.xml: these are two machines";
    assert!(
        error.contains(said) || error.contains("one.xml shares no device with two.xml"),
        "{error}"
    );

    let elsewhere = SECOND_SPEED.replace("0000:15:00.0", "0000:95:00.0");
    let error = import(&[("one.xml", NCCL), ("two.xml", &elsewhere)]).unwrap_err();
    let said = "0000:18:00.0 hangs on 0000:15:00.0 in one.xml and on 0000:95:00.0 in two.xml: these \
                are two machines";
    assert!(error.contains(said), "{error}");
    assert!(error.contains("one.xml:5:") && error.contains("two.xml:4:"), "{error}");

    let card = NCCL
        .replacen("0x030200", "0x020000", 1)
        .replace(r#"<gpu dev="0" sm="89" rank="0"/>"#, r#"<nic><net name="eth0" dev="0"/></nic>"#);
    let error = import(&[("one.xml", NCCL), ("two.xml", &card)]).unwrap_err();
    let said = "0000:17:00.0 is a GPU in one.xml and a network card in two.xml: these are two \
                machines";
    assert!(error.contains(said), "{error}");
}

#[test]
fn a_matrix_beside_a_tree() {
    let (text, notes) = import(&[("nccl.xml", NCCL), ("topo.txt", MATRIX)]).unwrap();
    assert_eq!(statements(&text), statements(&import(&[("nccl.xml", NCCL)]).unwrap().0));
    let said =
        "topo.txt has no bus ids: its GPUs are matched with those of nccl.xml by their order";
    assert!(notes.contains(said), "{notes}");

    let wrong =
        MATRIX.replace("GPU0\t X \tPIX", "GPU0\t X \tSYS").replace("GPU1\tPIX", "GPU1\tSYS");
    let error = import(&[("nccl.xml", NCCL), ("topo.txt", &wrong)]).unwrap_err();
    let said = "GPU0 and GPU1 are SYS to each other in topo.txt, but below one bridge in nccl.xml";
    assert!(error.contains(said) && error.contains("topo.txt:2:"), "{error}");

    let fewer = "\tGPU0\tGPU1\nGPU0\t X \tPIX\nGPU1\tPIX\t X \n";
    let error = import(&[("nccl.xml", NCCL), ("topo.txt", fewer)]).unwrap_err();
    assert!(
        error.contains("topo.txt has 2 GPUs and nccl.xml has 4: these are two machines"),
        "{error}"
    );

    let error = import(&[("a.txt", MATRIX), ("b.txt", MATRIX)]).unwrap_err();
    assert!(error.contains("a.txt and b.txt are both matrices of nvidia-smi topo -m"), "{error}");
}

#[test]
fn peer_access_becomes_the_shortest_rule() {
    let rules = |text: &str| -> Vec<String> {
        let lines = statements(text);
        lines.into_iter().filter(|l| l.starts_with("peer") || l.starts_with("forbid")).collect()
    };
    let read = |matrices: &[&str]| {
        let mut files = vec![("topo.txt", MATRIX)];
        files.extend(matrices.iter().map(|text| ("p2p.txt", *text)));
        let (text, notes) = import(&files).unwrap();
        (rules(&text), notes)
    };
    let within = peers("", WITHIN);
    let (found, notes) = read(&[&within]);
    assert_eq!(found, ["peer within switch"]);
    assert!(notes.contains("does not tell whether it is about reads or writes"), "{notes}");

    let mut all = WITHIN;
    let refused = "CNS";
    (all[0][1], all[1][0], all[2][3], all[3][2]) = (refused, refused, refused, refused);
    assert_eq!(read(&[&peers("", all)]).0, ["peer none"]);

    let mut some = [["OK"; 4]; 4];
    (0..4).for_each(|k| some[k][k] = "X");
    assert_eq!(read(&[&peers("", some)]).0, [""; 0]);

    // GPU0 cannot read from GPU3, so that a pull from 3 to 0 is not possible; writes are all right.
    let writes = peers("$ nvidia-smi topo -p2p w\n", some);
    some[0][3] = "TNS";
    let reads = peers("$ nvidia-smi topo -p2p r\n", some);
    assert_eq!(read(&[&reads, &writes]).0, ["forbid pull g[3] -> g[0]"]);

    some[1][2] = "U";
    let (found, notes) = read(&[&peers("", some)]);
    assert_eq!(found, ["forbid push g[0] -> g[3]", "forbid pull g[3] -> g[0]"]);
    assert!(notes.contains("peer access is unknown (U) for 1 pairs"), "{notes}");
}

#[test]
fn peer_access_below_the_matrix_in_one_file() {
    let both = format!("$ nvidia-smi topo -m\n{MATRIX}\n{}", peers("", WITHIN));
    let (text, _) = import(&[("report.txt", &both)]).unwrap();
    assert!(text.ends_with("\npeer within switch\n"), "{text}");
}

#[test]
fn peer_access_alone_or_broken() {
    let within = peers("", WITHIN);
    let error = import(&[("p2p.txt", &within)]).unwrap_err();
    assert!(
        error.contains("it tells who may access whom, not how the machine is wired"),
        "{error}"
    );
    assert!(error.contains("import topo.txt p2p.txt"), "{error}");

    let odd = within.replacen("CNS", "MAYBE", 1);
    let error = import(&[("topo.txt", MATRIX), ("p2p.txt", &odd)]).unwrap_err();
    assert!(error.contains("unknown status `MAYBE` in row GPU0, column GPU2"), "{error}");

    let cut: String = within.lines().take(3).map(|line| format!("{line}\n")).collect();
    let error = import(&[("topo.txt", MATRIX), ("p2p.txt", &cut)]).unwrap_err();
    assert!(error.contains("the matrix ends after 2 rows; missing: GPU2, GPU3"), "{error}");

    let differs = peers("", [["X"; 4]; 4]).replace("X", "OK");
    let error = import(&[("topo.txt", MATRIX), ("p2p.txt", &differs)]).unwrap_err();
    assert!(error.contains("unknown status `OK` in row GPU0, column GPU0"), "{error}");

    let atomics = peers("$ nvidia-smi topo -p2p a\n", WITHIN);
    let error = import(&[("topo.txt", MATRIX), ("p2p.txt", &atomics)]).unwrap_err();
    assert!(error.contains("is not about reads or writes"), "{error}");
}

/// What `lspci -vv` says of GPU1 of that machine, in a slot with eight lanes.
const DETAILS: &str = "18:00.0 3D controller: NVIDIA Corporation AD102GL [L20] (rev a1)\n\
    \tLnkCap:\tPort #0, Speed 16GT/s, Width x16, ASPM L1\n\
    \tLnkSta:\tSpeed 2.5GT/s (downgraded), Width x8 (downgraded)\n\
    \tNUMA node: 0\n";

#[test]
fn details_fill_what_trees_of_other_tools_leave_open() {
    let (text, notes) = import(&[("nccl.xml", NCCL), ("details.txt", DETAILS)]).unwrap();
    let lines = statements(&text);
    assert!(lines.contains(&"g[1] -- sw[0] : gen4x8".to_owned()), "{text}");
    assert!(lines.contains(&"set g[1] { model \"L20\" }".to_owned()), "{text}");
    assert!(notes.contains("0000:18:00.0 runs on 8 lanes, though it is able to x16"), "{notes}");
    assert!(notes.contains("details.txt:3:"), "{notes}");
    let all = import(&[("topo.txt", MATRIX), ("details.txt", DETAILS), ("nccl.xml", NCCL)]);
    assert_eq!(statements(&all.unwrap().0), lines, "in any order, with the matrix");

    // One figure of hwloc fits two links; the details tell which.
    let hwloc = r#"<topology version="2.0"><object type="Machine">
      <object type="Package" os_index="0"><object type="NUMANode" os_index="0"/>
       <object type="Bridge" bridge_type="0-1">
        <object type="PCIDev" pci_busid="0000:18:00.0" pci_type="0302 [10de:26ba] [0:0] a1" pci_link_speed="15.753846"/>
       </object>
      </object></object></topology>"#;
    let (text, notes) = import(&[("hwloc.xml", hwloc)]).unwrap();
    assert!(statements(&text).contains(&"link slot = unknown".to_owned()), "{text}");
    assert!(notes.contains("which is gen3 x16 or gen4 x8: the link stays unknown"), "{notes}");
    let (text, _) = import(&[("hwloc.xml", hwloc), ("details.txt", DETAILS)]).unwrap();
    assert!(statements(&text).contains(&"g[0] -- s[0] : gen4x8".to_owned()), "{text}");
}

#[test]
fn processors_and_numa_nodes_that_differ_are_named() {
    // The details put GPU1 on another NUMA node: said at both places, the tree counts.
    let far = DETAILS.replace("node: 0", "node: 1");
    let (text, notes) = import(&[("nccl.xml", NCCL), ("details.txt", &far)]).unwrap();
    assert!(statements(&text).contains(&"g[1] -- sw[0] : gen4x8".to_owned()), "{text}");
    let said = "0000:18:00.0 is on NUMA node 0 in nccl.xml and on 1 in details.txt: 0 is taken";
    assert!(notes.contains(said), "{notes}");
    assert!(notes.contains("nccl.xml:5:") && notes.contains("details.txt:1:"), "{notes}");

    let other = DETAILS.replace("[L20]", "[L20] [10de:26ba]");
    let known = NCCL.replacen(
        "0000:18:00.0\" class=\"0x030200\"",
        "0000:18:00.0\" class=\"0x030200\" vendor=\"0x10de\" device=\"0x2684\"",
        1,
    );
    let error = import(&[("nccl.xml", &known), ("details.txt", &other)]).unwrap_err();
    let said = "0000:18:00.0 is device 10de:2684 in nccl.xml and 10de:26ba in details.txt: these are \
                two machines";
    assert!(error.contains(said), "{error}");
    assert!(error.contains("nccl.xml:5:") && error.contains("details.txt:1:"), "{error}");
}
