//! Files of NCCL written by hand for what real ones have of oddities.

use super::read;
use crate::base::SourceId;
use crate::diagnostics::{Diagnostics, Sources, render};
use crate::import::inventory::{Above, FunctionKind, Inventory, PciLink};

fn inventory(text: &str) -> Inventory {
    read(text, SourceId(0)).unwrap_or_else(|faults| panic!("{}", show(text, &faults)))
}

fn show(text: &str, faults: &Diagnostics) -> String {
    let mut sources = Sources::new();
    sources.add("m.xml", text);
    render(&sources, faults, false)
}

fn refusal(text: &str) -> String {
    read(text, SourceId(0)).expect_err("a refusal").sorted()[0].message.clone()
}

const SMALL: &str = "<!-- a licence -->
<system version='1'>
  <cpu numaid='-1' arch=\"x86_64\" vendor='GenuineIntel' familyid='6' modelid='143'>
    <pci busid='0000:16:00.0' class='0x060400' link_speed='32.0 GT/s PCIe' link_width='16'> <!-- in -->
      <pci busid='0000:19:00.0' class='0x0302' vendor='0x10de' link_speed='' link_width='0'>
        <gpu dev='1' sm='89' rank='1' gdr='1'>
          <nvlink target='0000:19:00.0' count='12'/>
          <nvlink target='fffffff:ff:ff.0' count='4'/>
          <nvlink target='0000:1a:00.0' count='2'/>
        </gpu>
      </pci>
      <pci busid='0000:1a:00.0' class='0x120000' link_speed='17 GT/s' link_width='3'>
        <gpu dev='0' gcn='942' sm='104'/>
      </pci>
      <pci busid='0000:1b:00.0' class='0x020000'>
        <nic><net name='a' dev='2' speed='-1' guid='0x1'/><net name='b' dev='1' speed='400000'/></nic>
      </pci>
    </pci>
    <pci busid='0000:03:00.0' class='0x068000'/>
    <nic><net name='veth0' port='0'/><net name='mlx5_9' port='2' guid='0xa0000000000001'/></nic>
  </cpu>
</system>
";

#[test]
fn a_small_file() {
    let read = inventory(SMALL);
    assert_eq!(read.processors[0].numa, Vec::<u32>::new());
    assert_eq!(read.processors[0].model.as_deref(), Some("GenuineIntel family 6 model 143"));
    let kinds: Vec<FunctionKind> = read.functions.iter().map(|function| function.kind).collect();
    use FunctionKind::{Bridge, Gpu, Nic, NvSwitch};
    assert_eq!(kinds, [Bridge, Gpu, Gpu, Nic, NvSwitch, Nic, Nic]);
    assert_eq!(read.functions[0].link.capable, PciLink { generation: Some(5), width: Some(16) });
    assert_eq!(read.functions[1].link.capable, PciLink::default());
    assert_eq!(read.functions[1].above, Above::Function(0));
    assert_eq!(read.functions[1].arch.as_deref(), Some("sm_89"));
    // What RCCL calls sm is no architecture.
    assert_eq!((read.functions[2].arch.as_deref(), read.functions[2].number), (None, Some(0)));
    let ports = &read.functions[3].ports;
    assert_eq!((ports[0].megabits, ports[1].megabits), (None, Some(400_000)));
    assert_eq!((ports[0].is_virtual, ports[0].guid.as_deref()), (false, None));
    assert!(read.functions[5].ports[0].is_virtual);
    assert!(!read.functions[6].ports[0].is_virtual);
    // The link of a GPU to itself is noise; one leads to a switch that is not shown.
    let links: Vec<_> = read.gpu_links.iter().map(|l| (l.from, l.to, l.count)).collect();
    assert_eq!(links, [(1, None, 4), (1, Some(2), 2)]);
    let notes: Vec<String> = read.notes.iter().map(|note| note.message.clone()).collect();
    assert_eq!(
        notes,
        [
            "`17 GT/s` is no link_speed that PCIe has: taken as unknown",
            "`3` is no link_width that PCIe has: taken as unknown"
        ]
    );
}

#[test]
fn refusals() {
    let inside = |text: &str| {
        refusal(&format!(
            "<system version='1'><cpu numaid='0'><pci busid='1:0.0' class='0x0302'/>{text}</cpu>\
             </system>"
        ))
    };
    assert_eq!(inside("<pci class='0x0302'/>"), "a `<pci>` has no busid");
    assert_eq!(inside("<pci busid='x'/>"), "`x` is no PCI bus id; they look like 0000:17:00.0");
    assert_eq!(
        inside("<pci busid='0000:01:00.0' class='0x0302'/>"),
        "two `<pci>` have the bus id 0000:01:00.0"
    );
    assert_eq!(inside("<pci busid='2:0.0' class='gpu'/>"), "`gpu` is no PCI class");
    assert_eq!(
        inside("<pci busid='2:0.0'/>"),
        "the number of GPUs is not in the file: 1 PCI devices over 1 NUMA nodes have no class and \
         no `<gpu>`"
    );
    assert_eq!(inside("<cpu/>"), "a `<cpu>` cannot stand in `<cpu>`");
    assert_eq!(
        inside("<pci busid='2:0.0' class='0x0302'><gpu dev='one'/></pci>"),
        "`one` is no number for dev"
    );
    assert_eq!(
        inside("</cpu><cpu host_hash='0x1'/><cpu host_hash='0x2'>"),
        "the file describes 2 machines (host_hash), not one"
    );
    assert_eq!(refusal("<system version='1'/>"), "the file has no GPU");
    assert_eq!(refusal("<graphs/>"), "the outermost element is `<graphs>`, not `<system>`");
    assert_eq!(
        inside("<pci busid='2:0.0'></cpu>"),
        "the XML is not well formed: expected 'pci' tag, not 'cpu'"
    );
}

#[test]
fn hostile_files_end_soon() {
    let start = std::time::Instant::now();
    let open = "<pci busid='1:0.0'>".repeat(200_000);
    assert_eq!(
        refusal(&format!("<system version='1'><cpu>{open}")),
        "the XML ends before `<pci>` is closed"
    );
    let tower = format!("<system><cpu>{open}{}</cpu></system>", "</pci>".repeat(200_000));
    assert_eq!(refusal(&tower), "the XML is nested deeper than 256 elements");
    let many: String = (0..50_000)
        .map(|n| format!("<pci busid='{:x}:{:x}:0.0' class='0x0302'/>", n / 256, n % 256))
        .collect();
    assert_eq!(
        refusal(&format!("<system><cpu>{many}</cpu></system>")),
        "more devices than any machine has"
    );
    let bomb = "<!DOCTYPE s [<!ENTITY a 'aaaa'><!ENTITY b '&a;&a;&a;'>]><system>&b;</system>";
    assert_eq!(refusal(bomb), "the XML declares a document type of its own");
    // An unoptimised build on a busy machine; an optimised one takes a tenth.
    assert!(start.elapsed().as_secs() < 20, "{:?}", start.elapsed());
}
