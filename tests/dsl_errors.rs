//! The exact words of errors in single statements of topology files.

mod language_support;

use language_support::{errors, in_machine};

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
      = help: GB/s counts bytes, Gb/s bits: 200 Gb/s are 25 GB/s
    "#);
    insta::assert_snapshot!(in_machine("s[0] -- s[1] : 39 TB/s"), @r#"
    error[unknown-unit]: unknown unit `TB/s`
     --> m.topo:5:19
      |
    5 | s[0] -- s[1] : 39 TB/s
      |                   ^^^^ expected GB/s, GiB/s, MB/s or Gb/s
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
      = help: to spread them evenly, write `s[k/4]`
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
      |           ^ a walking index has its place in joins, totals and `via` only
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
