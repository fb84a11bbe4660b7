//! Names that come from elsewhere: control characters, names that are no UTF-8, links.

use assert_cmd::Command;
use std::fs;
use std::path::Path;

const MACHINE: &str = "topology \"two\\nmachine  none\\r\"
socket s
gpu g[2] { model \"A\\r\\nB\" }
g[*] -- s : 26.3 GB/s assumed \"why\\nnot\"
";

fn variopath(folder: &Path, arguments: &[&str]) -> (i32, String, String) {
    let mut command = Command::cargo_bin("variopath").expect("built");
    let output = command.current_dir(folder).args(arguments).output().expect("it runs");
    (
        output.status.code().expect("no signal"),
        String::from_utf8(output.stdout).expect("text"),
        String::from_utf8(output.stderr).expect("text"),
    )
}

fn assert_plain(text: &str) {
    assert!(!text.chars().any(|c| c.is_control() && c != '\n'), "{text:?}");
}

#[test]
fn names_with_control_characters_stay_in_their_line() {
    let folder = tempfile::tempdir().expect("folder");
    let name = "./od\x1b[31md.topo";
    fs::write(folder.path().join(name), MACHINE).expect("written");
    for verb in ["check", "plan", "advise", "analyze"] {
        let (exit, out, err) = variopath(folder.path(), &[verb, name]);
        assert_eq!(exit, 0, "{err}");
        assert_plain(&out);
        assert_plain(&err);
        assert_eq!(out.lines().filter(|line| line.starts_with("machine")).count(), 1, "{out}");
    }
    let (_, _, err) = variopath(folder.path(), &["plan", name, "-o", "./od\x1b[31md.json"]);
    assert_plain(&err);
    let (_, out, _) = variopath(folder.path(), &["check", name, "--json"]);
    let document: serde_json::Value = serde_json::from_str(&out).expect("JSON");
    // Programs get names as they are.
    assert_eq!(document["topology"], "two\nmachine  none\r");
    assert_eq!(document["findings"][0]["file"], name);
}

#[test]
fn a_dump_brings_no_control_characters_along() {
    let folder = tempfile::tempdir().expect("folder");
    let dump = "\tGPU0\tGPU1\tCPU Affinity\nGPU0\t X \tPHB\t0-7\x00\x07\nGPU1\tPHB\t X \t0-7\n";
    fs::write(folder.path().join("topo.txt"), dump).expect("written");
    let (exit, out, err) = variopath(folder.path(), &["import", "topo.txt"]);
    assert_eq!(exit, 0, "{err}");
    assert!(out.contains("CPUs 0-7"), "{out}");
    assert_plain(&out);
}

#[cfg(unix)]
#[test]
fn an_argument_that_is_no_utf_8_is_wrong_usage() {
    use std::os::unix::ffi::OsStrExt as _;
    let odd = std::ffi::OsStr::from_bytes(b"./inv\xff.txt");
    let mut command = Command::cargo_bin("variopath").expect("built");
    let output = command.args(["check", "--json"]).arg(odd).output().expect("it runs");
    assert_eq!(output.status.code(), Some(2), "{output:?}");
    let document: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!(document["exit"], 2);
}

#[cfg(unix)]
#[test]
fn what_a_link_names_is_rewritten_and_the_link_stays() {
    let folder = tempfile::tempdir().expect("folder");
    let (file, link) = (folder.path().join("real.topo"), folder.path().join("link.topo"));
    fs::write(&file, "topology   \"x\"\nsocket s\n").expect("written");
    std::os::unix::fs::symlink("real.topo", &link).expect("linked");
    let (exit, _, err) = variopath(folder.path(), &["fmt", "--write", "link.topo"]);
    assert_eq!(exit, 0, "{err}");
    assert!(fs::symlink_metadata(&link).expect("there").is_symlink());
    assert!(fs::read_to_string(&file).expect("text").starts_with("topology \"x\"\n"));
    // A link to nothing is there, too.
    std::os::unix::fs::symlink("none.json", folder.path().join("lost.json")).expect("linked");
    let (exit, _, err) = variopath(folder.path(), &["plan", "l40s-8", "-o", "lost.json"]);
    assert!(exit == 4 && err.contains("error[exists]"), "{err}");
}

#[test]
fn the_load_bound_of_check_is_that_of_plan_whatever_caps_say() {
    let folder = tempfile::tempdir().expect("folder");
    let text = "topology \"two\"\nsocket s\ngpu g[2] -- s : 6 GB/s\ncap socket : 3 GB/s\n";
    fs::write(folder.path().join("two.topo"), text).expect("written");
    let json = |verb| -> serde_json::Value {
        let (exit, out, err) = variopath(folder.path(), &[verb, "two.topo", "--json"]);
        assert_eq!(exit, 0, "{err}");
        serde_json::from_str(&out).expect("JSON")
    };
    let limit = &json("check")["survey"]["limit"];
    // 1 MiB at 6 GB/s; at 3 GB/s, which the pair alone needs.
    assert_eq!((&limit["t_star_ns"], &limit["at_least_ns"]), (&174_762.into(), &349_525.into()));
    assert_eq!(json("plan")["bounds"]["t_star_ns"], limit["at_least_ns"]);
    assert_eq!(json("plan")["bounds"]["t_eff_ns"], limit["at_least_ns"]);
}
