//! The exact words of errors that concern whole topology files.

mod language_support;

use language_support::{errors, errors_in, in_machine};
use std::collections::BTreeMap;

#[test]
fn empty_files() {
    insta::assert_snapshot!(errors(""), @r#"
    error[empty-file]: the file describes no machine
     --> m.topo:1:1
      |
    1 |
      | ^ expected `topology "name"`
      |
      = help: `variopath presets` lists machines to start from
    "#);
    insta::assert_snapshot!(errors("# nothing\n\n"), @r#"
    error[empty-file]: the file describes no machine
     --> m.topo:1:1
      |
    1 | # nothing
      | ^ expected `topology "name"`
      |
      = help: `variopath presets` lists machines to start from
    "#);
    insta::assert_snapshot!(errors("gpu g[8]\n"), @r#"
    error[syntax]: unexpected `gpu`
     --> m.topo:1:1
      |
    1 | gpu g[8]
      | ^^^ expected `topology`
      |
      = help: write `topology "name"`
    "#);
}

#[test]
fn parts() {
    insta::assert_snapshot!(errors("topology \"m\"\npart host {\n  gpu g\n"), @r#"
    error[unclosed-part]: part `host` is not closed
     --> m.topo:2:11
      |
    2 | part host {
      |           ^ this brace has no `}`
    "#);
    insta::assert_snapshot!(errors("topology \"m\"\npart host { gpu g; host h }\nhost h\n"), @r#"
    error[part-cycle]: part `host` contains itself
     --> m.topo:2:20
      |
    2 | part host { gpu g; host h }
      |                    ^^^^
    "#);
    insta::assert_snapshot!(errors("topology \"m\"\npart host { gpu g }\nhost h[2]\nfabric f\nh[*] -- f : 25 GB/s\nh[0].g.x -- f : 25 GB/s\n"), @r#"
    error[not-a-device]: `h[0]` is a part, not a device
     --> m.topo:5:1
      |
    5 | h[*] -- f : 25 GB/s
      | ^^^^ expected a device in it
      |
      = help: for example `h[0].g`
    error[not-a-part]: `g` is a device and contains nothing
     --> m.topo:6:8
      |
    6 | h[0].g.x -- f : 25 GB/s
      |        ^
    2 errors
    "#);
    insta::assert_snapshot!(errors("topology \"m\"\ngpu g }\nnic n n\n"), @r#"
    error[syntax]: unexpected `}`
     --> m.topo:2:7
      |
    2 | gpu g }
      |       ^ expected a statement
    error[syntax]: unexpected `n`
     --> m.topo:3:7
      |
    3 | nic n n
      |       ^ expected the end of the statement
    2 errors
    "#);
}

#[test]
fn changes() {
    insta::assert_snapshot!(in_machine("set g[0] -- s[0] : 3 GB/s\nset g[1] : 3 GB/s\nset g[9] { arch sm_90 }"), @r#"
    error[no-link]: no link from `g[0]` to `s[0]`
     --> m.topo:5:5
      |
    5 | set g[0] -- s[0] : 3 GB/s
      |     ^^^^ `set` changes links that exist
    error[not-one-link]: `g[1]` has 0 links
     --> m.topo:6:5
      |
    6 | set g[1] : 3 GB/s
      |     ^^^^ without the other end, `set` means a device's only link
      |
      = help: name the other end: `set g[1] -- … : …`
    error[out-of-bounds]: `g` has no element 9
     --> m.topo:7:7
      |
    7 | set g[9] { arch sm_90 }
      |       ^ expected 0 to 7
      |
      = help: indices count from 0, and the end of a range is not part of it
    3 errors
    "#);
    insta::assert_snapshot!(in_machine("ranks g[0], g[1], g[0]\nranks by h"), @r#"
    error[duplicate-rank]: `g[0]` has two ranks
     --> m.topo:5:19
      |
    5 | ranks g[0], g[1], g[0]
      |                   ^^^^ named again here
    error[duplicate-ranks]: the order of ranks is given twice
     --> m.topo:6:1
      |
    5 | ranks g[0], g[1], g[0]
      | ---------------------- first given here
    6 | ranks by h
      | ^^^^^^^^^^ given again here
    2 errors
    "#);
    insta::assert_snapshot!(in_machine("set s[0] { arch sm_90 }\nset g[*] { bus \"1\", arch x }"), @r#"
    error[misplaced-attribute]: a socket has no `arch`
     --> m.topo:5:12
      |
    5 | set s[0] { arch sm_90 }
      |            ^^^^^^^^^^ `arch` belongs to a gpu
    error[bus-count]: 1 bus id for 8 devices
     --> m.topo:6:12
      |
    6 | set g[*] { bus "1", arch x }
      |            ^^^^^^^ expected 8
    error[bad-arch]: `x` is no architecture
     --> m.topo:6:21
      |
    6 | set g[*] { bus "1", arch x }
      |                     ^^^^^^ expected `sm_` and a compute capability, such as `sm_89`
    3 errors
    "#);
}

#[test]
fn uses() {
    insta::assert_snapshot!(errors("topology \"m\"\nuse \"l20_8\"\n"), @r#"
    error[unknown-preset]: there is no preset `l20_8`
     --> m.topo:2:5
      |
    2 | use "l20_8"
      |     ^^^^^^^
      |
      = help: did you mean `l20-8`?
      = help: `variopath presets` lists them; a path to a file ends in .topo
    "#);
    insta::assert_snapshot!(errors("topology \"m\"\nuse \"../x.topo\"\nuse \"/etc/x.topo\"\n"), @r#"
    error[use-escape]: `../x.topo` lies outside the folder of the main file
     --> m.topo:2:5
      |
    2 | use "../x.topo"
      |     ^^^^^^^^^^^ expected a path within that folder, without a leading `/`
      |
      = help: put a copy beside the main file
    error[use-escape]: `/etc/x.topo` lies outside the folder of the main file
     --> m.topo:3:5
      |
    3 | use "/etc/x.topo"
      |     ^^^^^^^^^^^^^ expected a path within that folder, without a leading `/`
      |
      = help: put a copy beside the main file
    2 errors
    "#);
    insta::assert_snapshot!(errors("topology \"m\"\nuse \"not/there.topo\"\n"), @r#"
    error[unreadable]: cannot read not/there.topo: there is no such file
     --> m.topo:2:5
      |
    2 | use "not/there.topo"
      |     ^^^^^^^^^^^^^^^^
    "#);
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
    insta::assert_snapshot!(out, @r#"
    error[use-cycle]: the file uses itself: a.topo uses b.topo uses a.topo
     --> b.topo:2:5
      |
    2 | use "a.topo" as a
      |     ^^^^^^^^ this closes the cycle
    "#);
}

#[test]
fn settings() {
    let set = BTreeMap::from([("node".to_owned(), 3)]);
    insta::assert_snapshot!(errors_in("m.topo", "topology \"m\"\nparam nodes = 2\ngpu g[nodes]\n", &set), @r#"
    error[unknown-param]: m.topo: --set: there is no param `node`
     |
     = help: did you mean `nodes`?
     = help: params of the file: nodes
    "#);
    insta::assert_snapshot!(errors("topology \"m\"\nparam n = 2\nparam n = 3\ngpu g[m]\n"), @r#"
    error[duplicate-name]: `n` is declared twice
     --> m.topo:3:7
      |
    2 | param n = 2
      |       - first declared here
    3 | param n = 3
      |       ^ declared again here
    "#);
}

#[test]
fn several_at_once() {
    insta::assert_snapshot!(errors("topology \"m\"\ngpu g[\nlink = 3\n\"x\nfoo bar { baz }\nnic n[2]\npart p {\n  gpu 3; nic 4\n}\nlink a = 3 GB/s\n"), @r#"
    error[syntax]: unexpected end of line
     --> m.topo:2:7
      |
    2 | gpu g[
      |       ^ expected an integer or a name
    error[syntax]: unexpected `=`
     --> m.topo:3:6
      |
    3 | link = 3
      |      ^ expected a name
    error[unclosed-string]: the string is not closed
     --> m.topo:4:1
      |
    4 | "x
      | ^^ expected `"` before the end of the line
    error[syntax]: unexpected `baz`
     --> m.topo:5:11
      |
    5 | foo bar { baz }
      |           ^^^ expected `arch`, `model`, `memory` or `bus`
    error[syntax]: unexpected `3`
     --> m.topo:8:7
      |
    8 |   gpu 3; nic 4
      |       ^ expected a name
    error[syntax]: unexpected `4`
     --> m.topo:8:14
      |
    8 |   gpu 3; nic 4
      |              ^ expected a name
    6 errors
    "#);
}

#[test]
fn noise_ends_soon() {
    let start = std::time::Instant::now();
    let mut word = 12345_u64;
    let mut noise = String::new();
    while noise.len() < 2 << 20 {
        word = word.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        noise.push(char::from(32 + ((word >> 33) % 95) as u8));
        if (word >> 40).is_multiple_of(60) {
            noise.push('\n');
        }
    }
    insta::assert_snapshot!(errors(&noise), @r#"
    error[file-too-large]: m.topo: 2097152 bytes are no topology file; the limit is 1048576
    "#);
    for length in [1 << 20, 1 << 16] {
        let out = errors(&noise[..length]);
        assert!(out.matches("error[").count() <= 20);
        assert!(out.ends_with("not shown"), "{}", out.lines().last().unwrap_or(""));
    }
    for piece in ["{", "[", "part p {", "a.", "topology \"x\"\n", "\"", "x[k/", ";", "}"] {
        let out = errors(&piece.repeat((1 << 18) / piece.len()));
        assert!(out.matches("error[").count() <= 20);
    }
    assert!(start.elapsed().as_secs() < 60, "{:?}", start.elapsed());
}
