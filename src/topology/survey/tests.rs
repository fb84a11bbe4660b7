//! Tests of what a survey says, by its drawing.

use super::super::test_machine::{Maker, platform_b};
use super::survey;
use crate::base::{BytesPerSecond, DeviceKind, Nanos};
use crate::dsl::machine::{LinkValue, ValueOrigin};

#[test]
fn platform_b_with_open_questions() {
    let mut maker = platform_b();
    let machine = &mut maker.0;
    machine.links[0].value.origin = ValueOrigin::Assumed("as another box".to_owned());
    machine.links[0].value.latency = Nanos(500);
    for link in 5..13 {
        machine.links[link].value.rate = None;
    }
    machine.devices[6].arch = Some("sm_89".to_owned());
    machine.devices[6].bus = "0000:17:00.0".parse().ok();
    machine.devices[1].memory = Some(LinkValue {
        rate: Some(BytesPerSecond(80_000_000_000)),
        latency: Nanos(0),
        origin: ValueOrigin::Assumed(String::new()),
        pcie: None,
        figure: None,
        written: None,
    });
    assert_eq!(
        survey(machine).draw(),
        "\
machine     B: 2 sockets, 4 switches, 8 GPUs, 4 NICs
gpus        1 x sm_89
            7 x without model and arch
tree        s[0]
              sw[0]  25 GB/s
                g[0]  unknown  (rank 0, sm_89, 0000:17:00.0)
                g[1]  unknown  (rank 1)
                n[0]  25 GB/s
              sw[1]  25 GB/s
                g[2]  unknown  (rank 2)
                g[3]  unknown  (rank 3)
                n[1]  25 GB/s
            s[1]
              sw[2]  25 GB/s
                g[4]  unknown  (rank 4)
                g[5]  unknown  (rank 5)
                n[2]  25 GB/s
              sw[3]  25 GB/s
                g[6]  unknown  (rank 6)
                g[7]  unknown  (rank 7)
                n[3]  25 GB/s
links       s[0] -- s[1]: 40 GB/s, latency 500 ns assumed
shared      sw[0] -- s[0] by g[0], g[1]: 25 GB/s, 12.5 GB/s a GPU
            sw[1] -- s[0] by g[2], g[3]: 25 GB/s, 12.5 GB/s a GPU
            sw[2] -- s[1] by g[4], g[5]: 25 GB/s, 12.5 GB/s a GPU
            sw[3] -- s[1] by g[6], g[7]: 25 GB/s, 12.5 GB/s a GPU
            s[0] -- s[1] by up to 4 GPUs each way: 40 GB/s, 10 GB/s a GPU
assumed     s[0] -- s[1]: 40 GB/s, latency 500 ns (as another box)
            memory of s[1]: 80 GB/s
unknown     g[0..2] -- sw[0], g[2..4] -- sw[1] and 4 more
defaults    peer access between all GPUs of the node, push and pull
            NICs read and write GPU memory within the node (GPUDirect)
            GPUs use the nearest NICs, all that are equally near (via nearest)
            no loopback over NICs
            routes take the fewest links; GPUs and NICs never forward
            latency 0 where none is given
            socket memory unlimited where none is given
            no profile: links lose nothing when transfers share them
            PTX for compute_80 where no arch is given
            ranks in order of declaration
"
    );
}

#[test]
fn cascaded_switches_without_socket_and_loose_devices() {
    let mut maker = Maker::new("loose");
    let sw = maker.add(DeviceKind::Switch, "sw", 2);
    let g = maker.add(DeviceKind::Gpu, "g", 4);
    maker.join(sw[1], sw[0], 25_000);
    for &gpu in &g[..3] {
        maker.join(gpu, sw[1], 25_000);
    }
    maker.0.ranks.swap(0, 1);
    let survey = survey(&maker.0);
    let text = survey.draw();
    let tree: Vec<&str> = text.lines().take(11).collect();
    assert_eq!(
        tree,
        [
            "machine     loose: 2 nodes, 2 switches, 4 GPUs",
            "nodes       node of g[0]: 2 switches, 3 GPUs",
            "            node of g[3]: 1 GPU",
            "tree        sw[0]",
            "              sw[1]  25 GB/s",
            "                g[0]  25 GB/s  (rank 1)",
            "                g[1]  25 GB/s  (rank 0)",
            "                g[2]  25 GB/s  (rank 2)",
            "            g[3]  (rank 3)",
            "shared      sw[1] -- sw[0] by g[0], g[1], g[2]: 25 GB/s, 8.33 GB/s a GPU",
            "defaults    peer access between all GPUs of the node, push and pull",
        ]
    );
    assert!(!survey.defaults.iter().any(|line| line.starts_with("ranks")));
}

#[test]
fn an_empty_machine_has_a_survey() {
    let text = survey(&Maker::new("nothing").0).draw();
    assert!(text.starts_with("machine     nothing: 0 GPUs\ndefaults    peer access"), "{text}");
}
