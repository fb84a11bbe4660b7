//! Small files written by hand.

use super::read;
use crate::base::SourceId;
use crate::import::inventory::{Above, FunctionKind, Inventory, PciLink};

fn inventory(text: &str) -> Inventory {
    match read(text, SourceId(0)) {
        Ok(inventory) => inventory,
        Err(faults) => panic!("{faults:?}"),
    }
}

fn messages(inventory: &Inventory) -> Vec<&str> {
    inventory.notes.iter().map(|note| note.message.as_str()).collect()
}

fn refusal(text: &str) -> Vec<String> {
    read(text, SourceId(0)).expect_err("refused").iter().map(|d| d.message.clone()).collect()
}

const MACHINE: &str = r#"<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE topology SYSTEM "hwloc2.dtd">
<topology version="3.0">
 <object type="Machine">
  <object type="Package" os_index="0" cpuset="0x0f">
   <info name="CPUModel" value="A CPU   "/>
   <object type="NUMANode" os_index="0"/>
   <object type="NUMANode" os_index="1"/>
   <object type="Bridge" bridge_type="0-1" bridge_pci="0000:[16-20]">
    <object type="Bridge" bridge_type="1-1" pci_busid="0000:16:01.0" pci_type="0604 [8086:352a] [0:0] 04" pci_link_speed="15.753846">
     <object type="Bridge" bridge_type="1-1" pci_busid="0000:17:00.0" pci_type="0604 [10b5:9797] [0:0] 04" pci_link_speed="15.753846">
      <object type="Bridge" bridge_type="1-1" pci_busid="0000:18:00.0" pci_type="0604 [10b5:9797] [0:0] 04" pci_link_speed="2.0">
       <object type="PCIDev" pci_busid="0000:19:00.0" pci_type="0302 [10de:1eb8] [0:0] a1" pci_link_speed="15.753846">
        <object type="OSDev" gp_index="5" name="nvml1" osdev_type="12"><info name="GPUModel" value="Tesla T4"/></object>
       </object>
      </object>
      <object type="Bridge" bridge_type="1-1" pci_busid="0000:18:04.0" pci_type="0604 [10b5:9797] [0:0] 04" pci_link_speed="7.876923">
       <object type="PCIDev" pci_busid="0000:1a:00.0" pci_type="0302 [10de:1eb8] [0:0] a1" pci_link_speed="15.753846">
        <object type="OSDev" gp_index="6" name="nvml0" osdev_type="12"/>
        <object type="OSDev" gp_index="7" name="cuda0" osdev_type="12"/>
       </object>
       <object type="PCIDev" pci_busid="0000:1a:00.1" pci_type="0403 [10de:10f8] [0:0] a1" pci_link_speed="15.753846"/>
      </object>
     </object>
    </object>
    <object type="PCIDev" pci_busid="0000:16:1f.0" pci_type="0300 [1a03:2000] [0:0] 41" pci_link_speed="0"/>
   </object>
  </object>
  <object type="Package" os_index="1" cpuset="0xf0">
   <object type="NUMANode" os_index="2"/>
   <object type="Bridge" bridge_type="0-1" bridge_pci="0001:[00-20]">
    <object type="Bridge" bridge_type="1-1" pci_busid="0001:00:01.0" pci_type="0604 [8086:352a] [0:0] 04" pci_link_speed="63.015385">
     <object type="PCIDev" pci_busid="0001:01:00.0" pci_type="0207 [15b3:1021] [0:0] 00" pci_link_speed="63.015385">
      <object type="OSDev" name="ib0" osdev_type="16"/>
      <object type="OSDev" name="mlx5_0" osdev_type="32"/>
     </object>
    </object>
   </object>
  </object>
 </object>
 <distances2hetero nbobjs="2" kind="25" name="NVLinkBandwidth">
  <indexes length="15">OSDev:5 OSDev:6 </indexes>
  <u64values length="20">1000000 50000 50000 1000000 </u64values>
 </distances2hetero>
</topology>
"#;

#[test]
fn a_machine() {
    let inventory = inventory(MACHINE);
    let sockets: Vec<_> =
        inventory.processors.iter().map(|p| (p.socket, p.numa.as_slice())).collect();
    assert_eq!(sockets, [(Some(0), &[0, 1][..]), (Some(1), &[2][..])]);
    assert_eq!(inventory.processors[0].model.as_deref(), Some("A CPU"));
    let told: Vec<_> = inventory
        .functions
        .iter()
        .map(|f| (f.bus.map(|bus| bus.to_string()).unwrap_or_default(), f.kind, f.above, f.numa))
        .collect();
    let told: Vec<_> =
        told.iter().map(|(bus, kind, above, numa)| (&**bus, *kind, *above, *numa)).collect();
    use FunctionKind::{Bridge, Gpu, HostBridge, Nic};
    assert_eq!(
        told,
        [
            ("", HostBridge, Above::Processor(0), None),
            ("0000:16:01.0", Bridge, Above::Function(0), None),
            ("0000:17:00.0", Bridge, Above::Function(1), None),
            ("0000:18:00.0", Bridge, Above::Function(2), None),
            ("0000:19:00.0", Gpu, Above::Function(3), None),
            ("0000:18:04.0", Bridge, Above::Function(2), None),
            ("0000:1a:00.0", Gpu, Above::Function(5), None),
            ("", HostBridge, Above::Processor(1), Some(2)),
            ("0001:00:01.0", Bridge, Above::Function(7), Some(2)),
            ("0001:01:00.0", Nic, Above::Function(8), Some(2)),
        ]
    );
    let gpu = &inventory.functions[4];
    assert_eq!((gpu.number, gpu.model.as_deref()), (Some(1), Some("Tesla T4")));
    let ports: Vec<_> = inventory.functions[9].ports.iter().map(|port| &port.name).collect();
    assert_eq!(ports, ["mlx5_0"]);
    let links: Vec<_> = inventory.gpu_links.iter().map(|link| (link.from, link.to)).collect();
    assert_eq!(links, [(4, Some(6)), (6, Some(4))]);
}

#[test]
fn links_are_told_by_both_ends() {
    let inventory = inventory(MACHINE);
    let link = |generation, width| PciLink { generation, width };
    let capable: Vec<_> = inventory.functions.iter().map(|f| f.link.capable).collect();
    assert_eq!(capable[2], link(Some(3), Some(16)), "PLX 9797 speaks generation 3 at most");
    assert_eq!(capable[4], link(None, None), "gen1 x8 or gen2 x4 now, idle");
    assert_eq!(capable[6], link(Some(3), Some(8)), "the port has 8 lanes");
    assert_eq!(capable[9], link(Some(5), Some(16)));
    assert_eq!(capable[5], link(None, None), "inside of the switch");
    assert_eq!(
        messages(&inventory),
        [
            "0000:19:00.0: able to 15.75 GB/s, but the port above runs at 2 GB/s: saving power or \
         fewer lanes, so the link stays unknown",
            "0000:1a:00.0: able to 15.75 GB/s, but the port above runs at 7.88 GB/s",
        ]
    );
}

#[test]
fn version_one_has_no_number_and_numa_nodes_around_sockets() {
    let text = r#"<topology><object type="Machine">
      <object type="NUMANode" os_index="4"><object type="Socket" os_index="1"/>
       <object type="Bridge" bridge_type="0-1" bridge_pci="0000:[00-0f]">
        <object type="PCIDev" pci_busid="0000:01:00.0" pci_type="0302 [10de:26ba] [0:0] a1" pci_link_speed="15.753846"/>
        <object type="PCIDev" pci_busid="0000:02:00.0" pci_type="0c06 [15b3:6746] [0:0] b0" pci_link_speed="0">
         <object type="OSDev" name="eth2" osdev_type="2"/><object type="OSDev" name="mlx4_0" osdev_type="3"/>
        </object>
        <object type="PCIDev" pci_busid="0000:03:00.0" pci_type="0300 [1002:6860] [0:0] 01" pci_link_speed="15.753846"/>
       </object>
      </object></object></topology>"#;
    let inventory = inventory(text);
    assert_eq!(inventory.processors[0].socket, Some(1));
    assert_eq!(inventory.processors[0].numa, [4]);
    assert_eq!(inventory.functions[0].above, Above::Processor(0));
    assert_eq!(inventory.functions[1].numa, Some(4));
    assert_eq!(inventory.functions[2].ports[0].name, "mlx4_0");
    assert_eq!(
        messages(&inventory),
        ["0000:01:00.0: hwloc tells 15.75 GB/s, which is gen3 x16 or gen4 x8: the link stays \
         unknown",]
    );
}

#[test]
fn refusals() {
    let device = |attributes: &str| {
        format!(
            "<topology version=\"2.0\"><object type=\"Machine\"><object type=\"PCIDev\" {attributes}/></object></topology>"
        )
    };
    let cases = [
        ("<topology version=\"4.0\"/>".to_owned(), "unknown version `4.0` of hwloc's format"),
        ("<topology/>".to_owned(), "the topology has no objects"),
        (
            "<topology><object type=\"Machine\"/></topology>".to_owned(),
            "the topology has no PCI devices",
        ),
        ("<system/>".to_owned(), "the root is <system>, not <topology>"),
        (
            device("pci_busid=\"0000:01:00.0\" pci_type=\"0300 [1a03:2000]\""),
            "no GPU among the PCI functions (1 told)",
        ),
        (device(""), "a PCI object without `pci_busid`"),
        (device("pci_busid=\"1:2:33\""), "`1:2:33` is no PCI bus id"),
        (
            device("pci_busid=\"0000:01:00.0\" pci_type=\"0302\""),
            "`0302` is no PCI class with vendor and device",
        ),
        (
            device(
                "pci_busid=\"0000:01:00.0\" pci_type=\"0302 [10de:1234]\" pci_link_speed=\"1e308\"",
            ),
            "`1e308` is no link speed",
        ),
        (
            "<topology><object type=\"Bridge\" bridge_type=\"2-1\"/></topology>".to_owned(),
            "unknown kind `2-1` of bridge",
        ),
    ];
    for (text, expected) in cases {
        assert_eq!(refusal(&text), [expected], "{text}");
    }
    let twice =
        "<object type=\"PCIDev\" pci_busid=\"0000:01:00.0\" pci_type=\"0302 [10de:1234]\"/>";
    assert_eq!(
        refusal(&format!("<topology>{twice}{twice}</topology>")),
        ["0000:01:00.0 stands twice"]
    );
}
