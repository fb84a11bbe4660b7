//! `variopath fmt`: prints, checks, rewrites and resolves files.

mod command_support;

use command_support::{Ran, variopath};
use std::fs;
use std::path::Path;

const CANONICAL: &str = "topology \"m\"\nsocket s\ngpu g[2]  # two\ng[*] -- s : 25 GB/s\n";
const LOOSE: &str = "topology \"m\";socket s\r\ngpu   g[2]# two\r\n\r\n\r\ng[*]--s:25GB/s";

fn fmt(folder: &Path, arguments: &[&str]) -> Ran {
    variopath(folder, &[&["fmt"], arguments].concat())
}

#[test]
fn check_says_3_until_write_has_been_there() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("m.topo");
    fs::write(&file, LOOSE).expect("write");
    let (code, out, err) = fmt(folder.path(), &["--check", "m.topo"]);
    assert_eq!((code, out.as_str()), (3, ""));
    assert!(
        err.starts_with("error[not-formatted]: m.topo: the file is not in canonical form"),
        "{err}"
    );
    assert!(err.contains("run `variopath fmt --write m.topo`"), "{err}");
    let (code, printed, _) = fmt(folder.path(), &["m.topo"]);
    let expected = CANONICAL.replace("g[*] --", "\ng[*] --");
    assert_eq!((code, printed.as_str()), (0, expected.as_str()));
    let wrote = "wrote m.topo\n".to_owned();
    assert_eq!(fmt(folder.path(), &["--write", "m.topo"]), (0, String::new(), wrote));
    assert_eq!(fs::read_to_string(&file).expect("read"), expected);
    assert_eq!(fmt(folder.path(), &["--check", "m.topo"]), (0, String::new(), String::new()));
}

#[test]
fn line_ends_of_other_systems_are_not_canonical() {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("m.topo"), CANONICAL.replace('\n', "\r\n")).expect("write");
    assert_eq!(fmt(folder.path(), &["--check", "m.topo"]).0, 3);
    assert_eq!(fmt(folder.path(), &["m.topo"]).1, CANONICAL);
}

#[test]
fn resolved_stands_alone() {
    let folder = tempfile::tempdir().expect("a folder");
    let text = "topology \"m\"\n# four\nparam n = 4\nuse \"box.topo\" as box\nbox b[n]\n";
    fs::write(folder.path().join("m.topo"), text).expect("write");
    fs::write(folder.path().join("box.topo"), CANONICAL).expect("write");
    let (code, out, err) = fmt(folder.path(), &["--resolved", "m.topo", "--set", "n=3"]);
    assert_eq!((code, err.as_str()), (0, ""));
    let expected = "topology \"m\"\n# four\npart box {\n  socket s\n  gpu g[2]  # two\n  \
                    g[*] -- s : 25 GB/s\n}\nbox b[3]\n";
    assert_eq!(out, expected);
    let (code, _, err) = fmt(folder.path(), &["--resolved", "--write", "m.topo"]);
    assert_eq!(code, 2, "{err}");
    let (code, out, err) = fmt(folder.path(), &["--resolved", "m.topo", "--set", "m=3"]);
    assert_eq!((code, out.as_str()), (1, ""));
    assert!(err.starts_with("error[unknown-param]: m.topo: --set: there is no param `m`"), "{err}");
}
