//! The exact words of every error in topology files.

use std::collections::BTreeMap;
use variopath::diagnostics::{Diagnostics, Sources, render};
use variopath::dsl;

/// What is said about `text`, read as `m.topo`, up to its elaboration.
fn errors(text: &str) -> String {
    errors_in("m.topo", text, &BTreeMap::new())
}

fn errors_in(name: &str, text: &str, settings: &BTreeMap<String, u64>) -> String {
    let mut sources = Sources::new();
    let id = sources.add(name, text);
    let mut all = || -> Result<(), Diagnostics> {
        let file = dsl::parse(&sources, id)?;
        let file = dsl::resolve(file, &mut sources, id, settings)?;
        dsl::elaborate(&file).map(|_| ())
    };
    let found = all().expect_err("the text is wrong");
    let out = render(&sources, &found, false);
    out.lines().map(str::trim_end).collect::<Vec<_>>().join("\n")
}

const MACHINE: &str = "topology \"m\"\nsocket s[2]\nswitch sw[4]\ngpu g[8]\n";

fn in_machine(line: &str) -> String {
    errors(&format!("{MACHINE}{line}\n"))
}

#[test]
fn unknown_kind() {
    insta::assert_snapshot!(errors("topology \"m\"\ngpus g[8]\n"), @"");
}

#[test]
fn missing_unit() {
    insta::assert_snapshot!(in_machine("s[0] -- s[1] : 39"), @"");
    insta::assert_snapshot!(in_machine("link a = 39 assumed"), @"");
    insta::assert_snapshot!(in_machine("link a = 39 GB/s, latency 3"), @"");
}

#[test]
fn unknown_unit() {
    insta::assert_snapshot!(in_machine("s[0] -- s[1] : 39 GBs"), @"");
    insta::assert_snapshot!(in_machine("s[0] -- s[1] : 39 TB/s"), @"");
}

#[test]
fn misspelt_names() {
    insta::assert_snapshot!(in_machine("link x16 = pcie gen4 x16\ng[k] -- sv[k/2] : x61"), @"");
    insta::assert_snapshot!(in_machine("lnk x16 = pcie gen4 x16"), @"");
    insta::assert_snapshot!(in_machine("peer within sokcet"), @"");
    insta::assert_snapshot!(errors("topology \"m\"\ngpu g { arhc sm_89 }\n"), @"");
}

#[test]
fn bounds() {
    insta::assert_snapshot!(in_machine("g[6..9] -- s[0] : 25 GB/s"), @"");
    insta::assert_snapshot!(in_machine("g[k] -- s[k/2] : 25 GB/s"), @"");
    insta::assert_snapshot!(in_machine("g[3..3] -- s[0] : 25 GB/s"), @"");
    insta::assert_snapshot!(in_machine("g[1, 1] -- s[0] : 25 GB/s"), @"");
    insta::assert_snapshot!(in_machine("g -- s[0] : 25 GB/s"), @"");
    insta::assert_snapshot!(errors("topology \"m\"\ngpu g[1000000000]\n"), @"");
    insta::assert_snapshot!(errors("topology \"m\"\ngpu g[0]\n"), @"");
}

#[test]
fn ranges_on_both_sides() {
    insta::assert_snapshot!(in_machine("g[*] -- sw[*] : 25 GB/s"), @"");
    insta::assert_snapshot!(in_machine("sw[0..4] -- g[0..4] : 25 GB/s"), @"");
}

#[test]
fn walking_index() {
    insta::assert_snapshot!(in_machine("g[k] -- s[0] : 25 GB/s"), @"");
    insta::assert_snapshot!(in_machine("g[k/2] -- sw[k/4] : 25 GB/s"), @"");
    insta::assert_snapshot!(in_machine("without g[k]"), @"");
}

#[test]
fn duplicate_name() {
    insta::assert_snapshot!(in_machine("nic g"), @"");
}

#[test]
fn second_link() {
    insta::assert_snapshot!(in_machine("g[*] -- s[0] : 25 GB/s\ng[3] -- s[0] : 12 GB/s from \"a\""), @"");
}

#[test]
fn link_to_itself() {
    insta::assert_snapshot!(in_machine("g[*] -- g[0] : 25 GB/s"), @"");
}

#[test]
fn capacities() {
    insta::assert_snapshot!(in_machine("g[0] -- s[0] : 0 GB/s"), @"");
    insta::assert_snapshot!(in_machine("g[0] -- s[0] : 10001 GB/s"), @"");
    insta::assert_snapshot!(in_machine("g[0] -- s[0] : pcie gen9 x16"), @"");
}

#[test]
fn reserved_words() {
    insta::assert_snapshot!(errors("topology \"m\"\ngpu limit[8]\nlink any = 3 GB/s\n"), @"");
}

#[test]
fn empty_files() {
    insta::assert_snapshot!(errors(""), @"");
    insta::assert_snapshot!(errors("# nothing\n\n"), @"");
    insta::assert_snapshot!(errors("gpu g[8]\n"), @"");
}

#[test]
fn parts() {
    insta::assert_snapshot!(errors("topology \"m\"\npart host {\n  gpu g\n"), @"");
    insta::assert_snapshot!(errors("topology \"m\"\npart host { gpu g; host h }\nhost h\n"), @"");
    insta::assert_snapshot!(errors("topology \"m\"\npart host { gpu g }\nhost h[2]\nfabric f\nh[*] -- f : 25 GB/s\nh[0].g.x -- f : 25 GB/s\n"), @"");
    insta::assert_snapshot!(errors("topology \"m\"\ngpu g }\nnic n n\n"), @"");
}

#[test]
fn changes() {
    insta::assert_snapshot!(in_machine("set g[0] -- s[0] : 3 GB/s\nset g[1] : 3 GB/s\nset g[9] { arch sm_90 }"), @"");
    insta::assert_snapshot!(in_machine("ranks g[0], g[1], g[0]\nranks by h"), @"");
    insta::assert_snapshot!(in_machine("ranks g[1..8]"), @"");
    insta::assert_snapshot!(in_machine("set s[0] { arch sm_90 }\nset g[*] { bus \"1\", arch x }"), @"");
}

#[test]
fn uses() {
    insta::assert_snapshot!(errors("topology \"m\"\nuse \"l20_8\"\n"), @"");
    insta::assert_snapshot!(errors("topology \"m\"\nuse \"../x.topo\"\nuse \"/etc/x.topo\"\n"), @"");
    insta::assert_snapshot!(errors("topology \"m\"\nuse \"not/there.topo\"\n"), @"");
}

#[test]
fn use_cycle() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    std::fs::write(at("a.topo"), "topology \"a\"\nuse \"b.topo\"\n").unwrap();
    std::fs::write(at("b.topo"), "topology \"b\"\nuse \"a.topo\" as a\n").unwrap();
    let main = at("a.topo").to_string_lossy().into_owned();
    let text = std::fs::read_to_string(&main).unwrap();
    let out = errors_in(&main, &text, &BTreeMap::new());
    let out = out.replace(&format!("{}/", folder.path().display()), "");
    insta::assert_snapshot!(out, @"");
}

#[test]
fn settings() {
    let set = BTreeMap::from([("node".to_owned(), 3)]);
    insta::assert_snapshot!(errors_in("m.topo", "topology \"m\"\nparam nodes = 2\ngpu g[nodes]\n", &set), @"");
    insta::assert_snapshot!(errors("topology \"m\"\nparam n = 2\nparam n = 3\ngpu g[m]\n"), @"");
}

#[test]
fn several_at_once() {
    insta::assert_snapshot!(errors("topology \"m\"\ngpu g[\nlink = 3\n\"x\nfoo bar { baz }\nnic n[2]\npart p {\n  gpu 3; nic 4\n}\nlink a = 3 GB/s\n"), @"");
}

#[test]
fn noise_ends_soon() {
    let start = std::time::Instant::now();
    let mut word = 12345_u64;
    let mut noise = String::new();
    while noise.len() < 10 << 20 {
        word = word.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        noise.push(char::from(32 + ((word >> 33) % 95) as u8));
        if (word >> 40) % 60 == 0 {
            noise.push('\n');
        }
    }
    insta::assert_snapshot!(errors(&noise), @"");
    for length in [4 << 20, 1 << 16] {
        let out = errors(&noise[..length]);
        assert!(out.matches("error[").count() <= 20);
        assert!(out.ends_with("not shown"), "{}", out.lines().last().unwrap_or(""));
    }
    for piece in ["{", "[", "part p {", "a.", "topology \"x\"\n", "\"", "x[k/", ";", "}"] {
        let out = errors(&piece.repeat((4 << 20) / piece.len()));
        assert!(out.matches("error[").count() <= 20);
    }
    assert!(start.elapsed().as_secs() < 60, "{:?}", start.elapsed());
}
