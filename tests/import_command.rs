//! `variopath import` as users meet it: what it reads, what it refuses, what it writes.

#![cfg(unix)]

mod command_support;
mod import_support;

use command_support::{Ran, with_input};
use import_support::machine::{GEN4, GPU, IDLE, Machine, ROOT_PORT, SWITCH, machine};
use serde_json::Value;
use std::fs;
use std::path::Path;

const MATRIX: &str = "\tGPU0\tGPU1\tCPU Affinity\tNUMA Affinity\n\
    GPU0\t X \tPIX\t0-7\t0\nGPU1\tPIX\t X \t0-7\t0\n";

fn import(folder: &Path, arguments: &[&str], input: &[u8]) -> Ran {
    with_input(folder, &[&["import"], arguments].concat(), input)
}

fn folder() -> tempfile::TempDir {
    tempfile::tempdir().expect("a folder")
}

#[test]
fn this_machine() {
    let (machine, folder) = (machine(), folder());
    let root = machine.root().to_str().expect("a path");
    let (code, out, err) = import(folder.path(), &["--sysfs", root], b"");
    assert_eq!(code, 0, "{err}");
    insta::assert_snapshot!("import_this_machine", out);
    insta::assert_snapshot!("import_this_machine_notes", err);
    // A matrix beside it: peer access becomes a rule.
    let peers = " \tGPU0\tGPU1\tGPU2\t\n GPU0\tX\tOK\tCNS\t\n GPU1\tOK\tX\tCNS\t\n \
                 GPU2\tCNS\tCNS\tX\t\n";
    fs::write(folder.path().join("p2p.txt"), peers).expect("write");
    let (code, out, err) = import(folder.path(), &["--sysfs", root, "p2p.txt"], b"");
    assert_eq!(code, 0, "{err}");
    assert!(out.ends_with("\npeer within switch\n"), "{out}");
}

#[test]
fn a_machine_without_gpus() {
    let (machine, folder) = (Machine::new(), folder());
    let root = machine.root().to_str().expect("a path").to_owned();
    let (code, out, err) = import(folder.path(), &["--sysfs", &root], b"");
    assert_eq!((code, out.as_str()), (4, ""), "{err}");
    assert!(err.contains(&format!("no PCI devices in {root}/bus/pci/devices")), "{err}");
    machine.function("pci0000:00/0000:00:1f.0", ("0x060100", "0x8086", "0x1", 0), IDLE, IDLE);
    let (code, out, err) = import(folder.path(), &["--sysfs", &root], b"");
    assert_eq!((code, out.as_str()), (1, ""), "{err}");
    assert!(err.contains("this machine has no GPU: its PCI device is none"), "{err}");
    assert!(err.contains("run it on the machine with the GPUs, or give a dump of it"), "{err}");
}

#[test]
fn access_control_of_a_switch_is_warned_about() {
    let (machine, folder) = (Machine::new(), folder());
    let upper = "pci0000:16/0000:16:01.0/0000:17:00.0";
    machine.function("pci0000:16/0000:16:01.0", ROOT_PORT, GEN4, GEN4);
    // A root port that redirects is as usual: what reaches it goes up anyway.
    machine.config("pci0000:16/0000:16:01.0", Some(0x1d));
    machine.function(upper, SWITCH, GEN4, GEN4);
    machine.config(upper, Some(0));
    for number in 0..3 {
        let lower = format!("{upper}/0000:18:{number:02x}.0");
        machine.function(&lower, SWITCH, GEN4, GEN4);
        machine.config(&lower, Some(if number < 2 { 0x1d } else { 0 }));
        machine.function(&format!("{lower}/0000:{:02x}:00.0", 0x19 + number), GPU, GEN4, GEN4);
    }
    let root = machine.root().to_str().expect("a path");
    let (code, out, err) = import(folder.path(), &["--sysfs", root], b"");
    assert_eq!(code, 0, "{err}");
    // Readers of the file learn of it too.
    assert!(out.contains("\n# access control (ACS) redirects at 2 switch ports"), "{out}");
    let said = "warning[import-acs]: access control (ACS) redirects at 2 switch ports with GPUs below \
                (0000:18:00.0, 0000:18:01.0): what these GPUs send to others of the switch goes up to \
                the root port and back";
    assert!(err.contains(said), "{err}");
    assert!(err.contains("setpci -s 0000:18:00.0 ECAP_ACS+6.w=0"), "{err}");

    // The same from lspci.
    let tree = "-[0000:16]---01.0-[17-1a]----00.0-[18-1a]--+-00.0-[19]----00.0  NVIDIA Corporation AD102GL [L20]\n\
                \x20                                          \\-01.0-[1a]----00.0  NVIDIA Corporation AD102GL [L20]\n";
    let details = "16:01.0 PCI bridge: Intel Corporation Device 352a\n\tACSCtl:\tReqRedir+ CmpltRedir+\n\
                   18:00.0 PCI bridge: Broadcom\n\tACSCtl:\tSrcValid+ ReqRedir+ CmpltRedir+\n\
                   18:01.0 PCI bridge: Broadcom\n\tLnkCap:\tPort #0, Speed 16GT/s, Width x8\n\
                   \tACSCtl:\tSrcValid- ReqRedir- CmpltRedir-\n\
                   1a:00.0 3D controller: NVIDIA Corporation AD102GL [L20] (rev a1)\n\
                   \tLnkCap:\tPort #0, Speed 16GT/s, Width x16\n\
                   \tLnkSta:\tSpeed 2.5GT/s (downgraded), Width x8 (downgraded)\n\tNUMA node: 0\n";
    fs::write(folder.path().join("tree.txt"), tree).expect("write");
    fs::write(folder.path().join("details.txt"), details).expect("write");
    let (code, out, err) = import(folder.path(), &["tree.txt", "details.txt"], b"");
    assert_eq!(code, 0, "{err}");
    let said = "redirects at 1 switch port with GPUs below (0000:18:00.0)";
    assert!(err.contains(said) && err.contains("--> details.txt:"), "{err}");
    assert!(err.contains("0000:1a:00.0 runs on 8 lanes, though it is able to x16"), "{err}");
    assert!(out.contains("g[1] -- sw[0] : gen4x8"), "{out}");
}

#[test]
fn what_is_no_dump_is_told_apart() {
    let folder = folder();
    let utf_16: Vec<u8> =
        [0xff, 0xfe].into_iter().chain(MATRIX.bytes().flat_map(|byte| [byte, 0])).collect();
    let bare: Vec<u8> = MATRIX.bytes().flat_map(|byte| [byte, 0]).collect();
    let cases: [(&[u8], &str, &str); 6] = [
        (b"\x1f\x8b\x08\x00", "the file is compressed by gzip", "`gunzip` it first"),
        (&utf_16, "the file is UTF-16 text", "Out-File -Encoding utf8"),
        (&bare, "holds bytes of zero: it is no text, or text in UTF-16", "save it as UTF-8"),
        (b"", "the file is empty", "nvidia-smi topo -m > topo.txt"),
        (b" \r\n\n", "the file is empty", "nvidia-smi topo -m > topo.txt"),
        (b"hello\n", "this is no dump that can be imported", "looked for a header `GPU0 GPU1 …`"),
    ];
    for (bytes, reason, help) in cases {
        fs::write(folder.path().join("dump.txt"), bytes).expect("write");
        let (code, out, err) = import(folder.path(), &["dump.txt"], b"");
        assert_eq!((code, out.as_str()), (1, ""), "{err}");
        assert!(err.contains(reason) && err.contains(help) && err.contains("dump.txt"), "{err}");
        let (code, _, err) = import(folder.path(), &["-"], bytes);
        assert_eq!(code, 1);
        assert!(err.contains(reason) && err.contains("<stdin>"), "{err}");
    }
    let (code, _, err) = import(folder.path(), &["no.txt"], b"");
    assert_eq!(code, 4);
    assert!(err.contains("cannot read: No such file or directory"), "{err}");
    let (code, _, err) = import(folder.path(), &["-", "-"], b"");
    assert_eq!(code, 2);
    assert!(err.contains("standard input can be read once only"), "{err}");
}

#[test]
fn the_writing_of_a_dump_does_not_matter() {
    let folder = folder();
    let (code, plain, _) = import(folder.path(), &["-"], MATRIX.as_bytes());
    assert_eq!(code, 0);
    let variants = [
        MATRIX.replace('\n', "\r\n"),
        format!("\u{feff}{MATRIX}"),
        MATRIX.replacen("\tGPU0\tGPU1", "\t\u{1b}[4mGPU0\tGPU1\u{1b}[0m", 1),
        format!("$ nvidia-smi topo -m\n{MATRIX}\n$ exit\n"),
        MATRIX.replace('\t', "      "),
    ];
    for text in variants {
        let (code, out, err) = import(folder.path(), &["-"], text.as_bytes());
        assert_eq!((code, &out), (0, &plain), "{text:?}\n{err}");
    }
}

#[test]
fn outputs_and_names() {
    let folder = folder();
    let name = "my \"box\" n°7.txt";
    fs::write(folder.path().join(name), MATRIX).expect("write");
    let (code, out, _) = import(folder.path(), &[name], b"");
    assert_eq!(code, 0);
    assert!(out.contains("\ntopology \"my _box_ n_7\"\n"), "{out}");
    let arguments = [name, "-o", "mine.topo", "--assume", "gen4"];
    let (code, out, err) = import(folder.path(), &arguments, b"");
    assert_eq!((code, out.as_str()), (0, ""), "{err}");
    let written = fs::read_to_string(folder.path().join("mine.topo")).expect("written");
    assert!(written.contains("\ntopology \"mine\"\n"), "{written}");
    let assumed = "link slot = pcie gen4 x16 assumed \"--assume gen4\"  # of a GPU\n";
    assert!(written.contains(assumed), "{written}");
    let (code, _, err) = import(folder.path(), &[name, "-o", "mine.topo"], b"");
    assert_eq!(code, 4);
    assert!(err.contains("the output exists already") && err.contains("--force"), "{err}");
    assert_eq!(fs::read_to_string(folder.path().join("mine.topo")).expect("written"), written);
    let (code, _, _) = import(folder.path(), &[name, "-o", "mine.topo", "--force"], b"");
    assert_eq!(code, 0);
    // A refusal writes nothing.
    fs::write(folder.path().join("bad.txt"), "hello").expect("write");
    let (code, _, _) = import(folder.path(), &["bad.txt", "-o", "other.topo"], b"");
    assert_eq!(code, 1);
    assert!(!folder.path().join("other.topo").exists());
}

#[test]
fn a_table_of_everything() {
    let folder = folder();
    let below = folder.path().join("dumps/more");
    fs::create_dir_all(&below).expect("a folder");
    fs::write(folder.path().join("dumps/topo.txt"), MATRIX).expect("write");
    fs::write(folder.path().join("dumps/zip.bin"), b"\x1f\x8b\x08").expect("write");
    fs::write(below.join("cut.xml"), "<system version=\"1\">\n<cpu numaid=\"0\">\n")
        .expect("write");
    fs::write(below.join("notes.md"), "nothing\n").expect("write");
    std::os::unix::fs::symlink("..", below.join("up")).expect("a link");
    let (code, out, err) = import(folder.path(), &["--table", "dumps", "dumps/topo.txt"], b"");
    assert_eq!(code, 0, "{err}");
    insta::assert_snapshot!("import_table", out);

    let (code, out, _) = import(folder.path(), &["--table", "--json", "dumps"], b"");
    assert_eq!(code, 0);
    let document: Value = serde_json::from_str(&out).expect("JSON");
    assert_eq!(document["format"], "variopath-imports/1");
    assert_eq!((&document["imported"], &document["refused"]), (&1.into(), &3.into()));
    let files = document["files"].as_array().expect("a list");
    assert_eq!(files[0]["file"], "dumps/more/cut.xml");
    assert_eq!(files[0]["refused"]["line"], 2);
    assert_eq!(files[2]["same_switch"], serde_json::json!([[0, 1]]));

    fs::create_dir(folder.path().join("none")).expect("a folder");
    for (arguments, reason) in [
        (&["--table"][..], "--table needs a file or a folder"),
        (&["--table", "none"], "there are no files in none"),
    ] {
        let (code, out, err) = import(folder.path(), arguments, b"");
        assert_eq!((code, out.as_str()), (2, ""), "{err}");
        assert!(err.contains(reason) && err.contains("import --table dumps/"), "{err}");
    }
    let (code, _, err) = import(folder.path(), &["--table", "dumps", "gone.txt"], b"");
    assert_eq!(code, 4, "{err}");
}

#[test]
fn the_help_names_a_command_for_every_format() {
    let (code, out, _) = import(folder().path(), &["--help"], b"");
    assert_eq!(code, 0);
    for command in [
        "nvidia-smi topo -m > topo.txt",
        "nvidia-smi topo -p2p r > read.txt",
        "NCCL_TOPO_DUMP_FILE=nccl.xml",
        "lstopo --whole-io hwloc.xml",
        "lspci -tv > tree.txt",
        "sudo lspci -vv > details.txt",
        "no FILE",
    ] {
        assert!(out.contains(command), "{command}\n{out}");
    }
}
