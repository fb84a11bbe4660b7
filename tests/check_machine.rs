//! Descriptions against the machine at hand, which folders that look like `/sys` stand for.

#![cfg(unix)]

mod check_support;
mod command_support;
mod import_support;

use check_support::{check, preset, section, warnings};
use command_support::Ran;
use import_support::machine::{GEN4, GPU, IDLE, Kind, Machine, ROOT_PORT};
use serde_json::Value;

/// Two GPUs and a card on a switch of socket 0, a GPU in an eight lane slot of socket 1.
fn box_of_three() -> Machine {
    let machine = Machine::new();
    machine.node(0, 0);
    machine.node(1, 1);
    machine.switch_of_three(0x1d);
    let slot = "pci0000:97/0000:97:01.0";
    let second = |kind: Kind| (kind.0, kind.1, kind.2, 1);
    let eight = ("16.0 GT/s PCIe", "8");
    machine.function(slot, second(ROOT_PORT), eight, eight);
    machine.config(slot, Some(0));
    machine.function(&format!("{slot}/0000:98:00.0"), second(GPU), GEN4, ("2.5 GT/s PCIe", "8"));
    machine
}

const BOX: &str = "\
topology \"box\"
socket s[2]
switch sw
gpu g[3] { bus [\"0000:19:00.0\", \"0000:1A:00.0\", \"0000:98:00.0\"] }
nic n { bus \"0000:1b:00.0\" }
s[0] -- s[1] : 39 GB/s
sw -- s[0] : pcie gen5 x16
g[0..2] -- sw : 25.1 GB/s from \"measured\"
g[2] -- s[1] : pcie gen4 x8
n -- sw : pcie gen5 x16
";

fn against(machine: &Machine, text: &str, more: &[&str]) -> Ran {
    let root = machine.root().to_str().expect("UTF-8");
    let mut arguments = vec!["--machine", "--sysfs", root];
    arguments.extend(more);
    check(text, &arguments)
}

#[test]
fn a_description_that_fits_this_machine() {
    let machine = box_of_three();
    let (code, out, err) = against(&machine, BOX, &[]);
    assert_eq!(code, 0, "{err}");
    assert_eq!(section(&out, "here"), ["this machine agrees; 3 GPUs and 1 NIC matched by bus id"]);
    // Access control is the machine's, not the file's.
    let told = warnings(&err);
    assert!(told.iter().any(|w| w.starts_with("import-acs]: access control (ACS) redirects at 2 switch ports")), "{told:?}");
}

#[test]
fn contradictions_with_this_machine_are_named() {
    let machine = box_of_three();
    let wrong = BOX
        .replace("0000:98:00.0", "0000:99:00.0")
        .replace("g[0..2] -- sw : 25.1", "g[1] -- s[0] : pcie gen4 x16\ng[0] -- sw : 55");
    let (code, out, err) = against(&machine, &wrong, &[]);
    assert_eq!(code, 3);
    assert_eq!(
        section(&out, "here"),
        ["this machine contradicts it in 3 points; 2 GPUs and 1 NIC matched by bus id"]
    );
    let mut errors: Vec<&str> =
        err.lines().filter_map(|line| line.strip_prefix("error[machine-differs]: ")).collect();
    errors.sort_unstable();
    assert_eq!(
        errors,
        [
            "g[0] (0000:19:00.0) is on 55 GB/s in the file and on 26.3 GB/s here",
            "g[0] and g[1] are not on one switch in the file and on one here",
            "this machine has no GPU 0000:99:00.0, which g[2] is",
        ]
    );
    assert!(err.contains("GPUs of this machine that the file leaves out: 0000:98:00.0"), "{err}");
    let (code, out, _) = against(&machine, &wrong, &["--json"]);
    assert_eq!(code, 3);
    let document: Value = serde_json::from_str(&out).expect("one document");
    assert_eq!(document["machine"]["by_bus"], true);
    assert_eq!(document["machine"]["differences"].as_array().map(Vec::len), Some(3));
}

#[test]
fn without_bus_ids_shapes_are_compared() {
    let machine = box_of_three();
    let plain: String = BOX
        .lines()
        .map(|line| match line.split_once(" { bus") {
            Some((device, _)) => format!("{device}\n"),
            None => format!("{line}\n"),
        })
        .collect();
    let (code, out, err) = against(&machine, &plain, &[]);
    assert_eq!(code, 0, "{err}");
    assert_eq!(
        section(&out, "here"),
        ["this machine agrees; 3 GPUs compared by counts and speeds: no bus ids"]
    );
    let (code, _, err) = against(&machine, &plain.replace("gen4 x8", "gen4 x16"), &[]);
    assert_eq!(code, 3);
    assert!(err.contains("a GPU is on 25.1 GB/s in the file and on 13.15 GB/s here"), "{err}");
    let root = machine.root().to_str().expect("UTF-8");
    let (code, _, err) = preset(&["l20-8", "--machine", "--sysfs", root]);
    assert_eq!(code, 3);
    assert!(err.contains("the file has 8 GPUs, this machine 3"), "{err}");
}

#[test]
fn a_machine_without_gpus_is_told_so() {
    let machine = Machine::new();
    machine.function("pci0000:00/0000:00:1f.0", ("0x030000", "0x1a03", "0x2000", 0), IDLE, IDLE);
    let (code, out, err) = against(&machine, BOX, &[]);
    assert_eq!((code, out.as_str()), (1, ""), "{err}");
    assert!(err.contains("this machine has no GPU"), "{err}");
}
