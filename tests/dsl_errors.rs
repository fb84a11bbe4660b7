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
    insta::assert_snapshot!(errors("topology \"m\"\ngpus g[8]\n"), @r#"
    error[unknown-kind]: there is no kind of device or part `gpus`
     --> m.topo:2:1
      |
    2 | gpus g[8]
      | ^^^^ expected gpu, nic, switch, socket, fabric or a part's name
      |
      = help: did you mean `gpu`?
    "#);
}

#[test]
fn missing_unit() {
    insta::assert_snapshot!(in_machine("s[0] -- s[1] : 39"), @r#"
    error[missing-unit]: `39` lacks its unit
     --> m.topo:5:18
      |
    5 | s[0] -- s[1] : 39
      |                  ^ expected GB/s, GiB/s, MB/s or Gb/s
      |
      = help: write `39 GB/s`
    "#);
    insta::assert_snapshot!(in_machine("link a = 39 assumed"), @r#"
    error[missing-unit]: `39` lacks its unit
     --> m.topo:5:13
      |
    5 | link a = 39 assumed
      |             ^^^^^^^ expected GB/s, GiB/s, MB/s or Gb/s
      |
      = help: write `39 GB/s`
    "#);
    insta::assert_snapshot!(in_machine("link a = 39 GB/s, latency 3"), @r#"
    error[missing-unit]: `3` lacks its unit
     --> m.topo:5:28
      |
    5 | link a = 39 GB/s, latency 3
      |                            ^ expected ns or us
      |
      = help: write `3 ns`
    "#);
}

#[test]
fn unknown_unit() {
    insta::assert_snapshot!(in_machine("s[0] -- s[1] : 39 GBs"), @r#"
    error[unknown-unit]: unknown unit `GBs`
     --> m.topo:5:19
      |
    5 | s[0] -- s[1] : 39 GBs
      |                   ^^^ expected GB/s, GiB/s, MB/s or Gb/s
      |
      = help: did you mean `GB/s`?
    "#);
    insta::assert_snapshot!(in_machine("s[0] -- s[1] : 39 TB/s"), @r#"
    error[unknown-unit]: unknown unit `TB/s`
     --> m.topo:5:19
      |
    5 | s[0] -- s[1] : 39 TB/s
      |                   ^^^^ expected GB/s, GiB/s, MB/s or Gb/s
      |
      = help: did you mean `GB/s`?
    "#);
}

#[test]
fn misspelt_names() {
    insta::assert_snapshot!(in_machine("link x16 = pcie gen4 x16\ng[k] -- sv[k/2] : x61"), @r#"
    error[unknown-name]: there is no device `sv`
     --> m.topo:6:9
      |
    6 | g[k] -- sv[k/2] : x61
      |         ^^ not declared here
      |
      = help: did you mean `sw`?
    error[unknown-name]: there is no link `x61`
     --> m.topo:6:19
      |
    6 | g[k] -- sv[k/2] : x61
      |                   ^^^ not declared here
      |
      = help: did you mean `x16`?
    2 errors
    "#);
    insta::assert_snapshot!(in_machine("lnk x16 = pcie gen4 x16"), @r#"
    error[syntax]: unexpected `=`
     --> m.topo:5:9
      |
    5 | lnk x16 = pcie gen4 x16
      |         ^ expected the end of the statement
      |
      = help: did you mean `link`?
    "#);
    insta::assert_snapshot!(in_machine("peer within sokcet"), @r#"
    error[syntax]: unexpected `sokcet`
     --> m.topo:5:13
      |
    5 | peer within sokcet
      |             ^^^^^^ expected `gpu`, `switch`, `uplink`, `socket` or `node`
      |
      = help: did you mean `socket`?
    "#);
    insta::assert_snapshot!(errors("topology \"m\"\ngpu g { arhc sm_89 }\n"), @r#"
    error[syntax]: unexpected `arhc`
     --> m.topo:2:9
      |
    2 | gpu g { arhc sm_89 }
      |         ^^^^ expected `arch`, `model`, `memory` or `bus`
      |
      = help: did you mean `arch`?
    "#);
}

#[test]
fn bounds() {
    insta::assert_snapshot!(in_machine("g[6..9] -- s[0] : 25 GB/s"), @r#"
    error[out-of-bounds]: `g` has no element 8
     --> m.topo:5:3
      |
    5 | g[6..9] -- s[0] : 25 GB/s
      |   ^^^^ expected 0 to 7
      |
      = help: indices count from 0, and the end of a range is not part of it
    "#);
    insta::assert_snapshot!(in_machine("g[k] -- s[k/2] : 25 GB/s"), @r#"
    error[out-of-bounds]: `s` has no element 2
     --> m.topo:5:11
      |
    5 | g[k] -- s[k/2] : 25 GB/s
      |           ^^^ expected 0 to 1
      |
      = help: indices count from 0, and the end of a range is not part of it
    "#);
    insta::assert_snapshot!(in_machine("g[3..3] -- s[0] : 25 GB/s"), @r#"
    error[empty-range]: the range 3..3 has no elements
     --> m.topo:5:3
      |
    5 | g[3..3] -- s[0] : 25 GB/s
      |   ^^^^ expected a larger end
      |
      = help: the end of a range is not part of it
    "#);
    insta::assert_snapshot!(in_machine("g[1, 1] -- s[0] : 25 GB/s"), @r#"
    error[repeated-element]: `g[1]` is named twice
     --> m.topo:5:6
      |
    5 | g[1, 1] -- s[0] : 25 GB/s
      |      ^ named again here
    "#);
    insta::assert_snapshot!(in_machine("g -- s[0] : 25 GB/s"), @r#"
    error[missing-index]: `g` is an array of 8
     --> m.topo:5:1
      |
    5 | g -- s[0] : 25 GB/s
      | ^ expected an index
      |
      = help: write `g[0]` for one, `g[*]` for all
    "#);
    insta::assert_snapshot!(errors("topology \"m\"\ngpu g[1000000000]\n"), @r#"
    error[array-size]: an array of 1000000000 elements
     --> m.topo:2:7
      |
    2 | gpu g[1000000000]
      |       ^^^^^^^^^^ at most 4096 are supported
    "#);
    insta::assert_snapshot!(errors("topology \"m\"\ngpu g[0]\n"), @r#"
    error[array-size]: an array of no elements
     --> m.topo:2:7
      |
    2 | gpu g[0]
      |       ^ expected 1 or more
    "#);
}

#[test]
fn ranges_on_both_sides() {
    insta::assert_snapshot!(in_machine("g[*] -- sw[*] : 25 GB/s"), @r#"
    error[ranges-on-both-sides]: several elements on both sides of a join
     --> m.topo:5:9
      |
    5 | g[*] -- sw[*] : 25 GB/s
      |         ^^^^^ expected a single device on one side
      |
      = help: to join them one by one, write `g[k] -- sw[k/2]`
    "#);
    insta::assert_snapshot!(in_machine("sw[0..4] -- g[0..4] : 25 GB/s"), @r#"
    error[ranges-on-both-sides]: several elements on both sides of a join
     --> m.topo:5:13
      |
    5 | sw[0..4] -- g[0..4] : 25 GB/s
      |             ^^^^^^^ expected a single device on one side
      |
      = help: to join them one by one, write `sw[k] -- g[k]`
    "#);
}

#[test]
fn walking_index() {
    insta::assert_snapshot!(in_machine("g[k] -- s[0] : 25 GB/s"), @r#"
    error[index-used-once]: the walking index `k` stands on one side only
     --> m.topo:5:3
      |
    5 | g[k] -- s[0] : 25 GB/s
      |   ^ it is neither a param nor on the other side
      |
      = help: a walking index stands on both sides of a join; `*` means all elements
    "#);
    insta::assert_snapshot!(in_machine("g[k/2] -- sw[k/4] : 25 GB/s"), @r#"
    error[index-never-bare]: nothing says how far `k` runs
     --> m.topo:5:3
      |
    5 | g[k/2] -- sw[k/4] : 25 GB/s
      |   ^^^ expected it without a division on one side
    "#);
    insta::assert_snapshot!(in_machine("without g[k]"), @r#"
    error[unknown-param]: there is no param `k`
     --> m.topo:5:11
      |
    5 | without g[k]
      |           ^ a walking index has its place in joins only
      |
      = help: `*` means all elements
    "#);
}

#[test]
fn duplicate_name() {
    insta::assert_snapshot!(in_machine("nic g"), @r#"
    error[duplicate-name]: `g` is declared twice
     --> m.topo:5:5
      |
    4 | gpu g[8]
      |     - first declared here
    5 | nic g
      |     ^ declared again here
    "#);
}

#[test]
fn second_link() {
    insta::assert_snapshot!(in_machine("g[*] -- s[0] : 25 GB/s\ng[3] -- s[0] : 12 GB/s from \"a\""), @r#"
    error[second-link]: `g[3]` and `s[0]` are joined already
     --> m.topo:6:1
      |
    5 | g[*] -- s[0] : 25 GB/s
      | ---------------------- first joined here
    6 | g[3] -- s[0] : 12 GB/s from "a"
      | ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ joined again here
      |
      = help: to change the link, write `set g[3] -- s[0] : 12 GB/s from "a"`
    "#);
}

#[test]
fn link_to_itself() {
    insta::assert_snapshot!(in_machine("g[*] -- g[0] : 25 GB/s"), @r#"
    error[link-to-itself]: `g[0]` is joined to itself
     --> m.topo:5:1
      |
    5 | g[*] -- g[0] : 25 GB/s
      | ^^^^^^^^^^^^^^^^^^^^^^
    "#);
}

#[test]
fn capacities() {
    insta::assert_snapshot!(in_machine("g[0] -- s[0] : 0 GB/s"), @r#"
    error[zero-rate]: a link of rate zero carries nothing
     --> m.topo:5:16
      |
    5 | g[0] -- s[0] : 0 GB/s
      |                ^^^^^^ expected more than 0
      |
      = help: leave the link out, or write `unknown` if the rate is not known
    "#);
    insta::assert_snapshot!(in_machine("g[0] -- s[0] : 10001 GB/s"), @r#"
    error[absurd-rate]: 10001 GB/s is more than any link carries
     --> m.topo:5:16
      |
    5 | g[0] -- s[0] : 10001 GB/s
      |                ^^^^^^^^^^ expected at most 10000 GB/s
      |
      = help: rates count bytes: 200 Gb/s is 25 GB/s
    "#);
    insta::assert_snapshot!(in_machine("g[0] -- s[0] : pcie gen9 x16"), @r#"
    error[bad-pcie]: there is no PCIe `gen9`
     --> m.topo:5:21
      |
    5 | g[0] -- s[0] : pcie gen9 x16
      |                     ^^^^ expected gen1 to gen7, then x1, x2, x4, x8, x12, x16 or x32
    "#);
}

#[test]
fn reserved_words() {
    insta::assert_snapshot!(errors("topology \"m\"\ngpu limit[8]\nlink any = 3 GB/s\n"), @r#"
    error[reserved-word]: `limit` is a word of the language and no name
     --> m.topo:2:5
      |
    2 | gpu limit[8]
      |     ^^^^^ expected a name
      |
      = help: another name would do: `limit_`, `my_limit`
    error[reserved-word]: `any` is a word of the language and no name
     --> m.topo:3:6
      |
    3 | link any = 3 GB/s
      |      ^^^ expected a name
      |
      = help: another name would do: `any_`, `my_any`
    2 errors
    "#);
}

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
    insta::assert_snapshot!(in_machine("ranks g[1..8]"), @r#"
    error[missing-ranks]: no rank for g[0]
     --> m.topo:5:1
      |
    5 | ranks g[1..8]
      | ^^^^^^^^^^^^^ expected every GPU
    "#);
    insta::assert_snapshot!(in_machine("set s[0] { arch sm_90 }\nset g[*] { bus \"1\", arch x }"), @r#"
    error[misplaced-attribute]: a socket has no `arch`
     --> m.topo:5:12
      |
    5 | set s[0] { arch sm_90 }
      |            ^^^^^^^^^^ `arch` belongs to a gpu
    error[bus-count]: 1 bus ids for 8 devices
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
    while noise.len() < 10 << 20 {
        word = word.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        noise.push(char::from(32 + ((word >> 33) % 95) as u8));
        if (word >> 40).is_multiple_of(60) {
            noise.push('\n');
        }
    }
    insta::assert_snapshot!(errors(&noise), @r#"
    error[file-too-large]: m.topo: 10485760 bytes are no topology file; the limit is 1048576
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
