//! The commonest slips of the hand in topology files: each is met with a caret and with the text that
//! was probably meant.

mod language_support;

use language_support::errors;

const MACHINE: &str =
    "topology \"m\"\nlink x16 = pcie gen4 x16\nsocket s[2]\nswitch sw[4]\ngpu g[8]\n";

/// A statement, the message, the line under it, and the help.
type Slip = (&'static str, &'static str, &'static str, &'static str);

fn said(slips: &[Slip]) {
    for (statement, message, caret, help) in slips {
        let text = errors(&format!("{MACHINE}{statement}\n"));
        let (code, words) = message.split_once(": ").unwrap();
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines[0], format!("error[{code}]: {words}"), "{text}");
        assert_eq!(lines[3..5], [format!("6 | {statement}"), format!("  | {caret}")], "{text}");
        let helps: Vec<&str> =
            lines.iter().filter_map(|line| line.trim().strip_prefix("= help: ")).collect();
        assert_eq!(helps.join("; "), *help, "{text}");
        assert!(!text.contains("2 errors"), "one slip is one error: {text}");
    }
}

#[test]
fn generations_and_widths() {
    said(&[
        (
            "g[*] -- s[0] : pcie Gen4 x16",
            "bad-pcie: there is no PCIe `Gen4`",
            "                    ^^^^ expected gen1 to gen7, then x1, x2, x4, x8, x12, x16 or x32",
            "write `g[*] -- s[0] : pcie gen4 x16`",
        ),
        (
            "g[*] -- s[0] : pcie4 x16",
            "syntax: unexpected `x16`",
            "                     ^^^ expected the end of the statement",
            "write `g[*] -- s[0] : pcie gen4 x16`",
        ),
        (
            "g[*] -- s[0] : gen4 x16",
            "syntax: unexpected `x16`",
            "                    ^^^ expected the end of the statement",
            "write `g[*] -- s[0] : pcie gen4 x16`",
        ),
        (
            "g[*] -- s[0] : PCIe gen4 x16",
            "syntax: unexpected `gen4`",
            "                    ^^^^ expected the end of the statement",
            "write `g[*] -- s[0] : pcie gen4 x16`",
        ),
        (
            "g[*] -- s[0] : PCIe 4.0 x16",
            "syntax: unexpected `4.0`",
            "                    ^^^ expected the end of the statement",
            "write `g[*] -- s[0] : pcie gen4 x16`",
        ),
        (
            "g[*] -- s[0] : pcie gen 4 x16",
            "bad-pcie: there is no PCIe `gen`",
            "                    ^^^ expected gen1 to gen7, then x1, x2, x4, x8, x12, x16 or x32",
            "write `g[*] -- s[0] : pcie gen4 x16`",
        ),
        (
            "g[*] -- s[0] : pcie gen4 X16",
            "bad-pcie: there is no PCIe `X16`",
            "                         ^^^ expected gen1 to gen7, then x1, x2, x4, x8, x12, x16 or x32",
            "write `g[*] -- s[0] : pcie gen4 x16`",
        ),
        (
            "g[*] -- s[0] : pcie gen4 16",
            "syntax: unexpected `16`",
            "                         ^^ expected a width such as `x16`",
            "write `g[*] -- s[0] : pcie gen4 x16`",
        ),
        (
            "g[*] -- s[0] : pcie gen4",
            "syntax: unexpected end of line",
            "                        ^ expected a width such as `x16`",
            "",
        ),
        (
            "g[*] -- s[0] : x8",
            "unknown-name: there is no link `x8`",
            "               ^^ not declared here",
            "write the whole rate, `pcie gen4 x8`, or declare `link x8 = pcie gen4 x8`",
        ),
        (
            "g[*] -- s[0] : Gen5x16",
            "unknown-name: there is no link `Gen5x16`",
            "               ^^^^^^^ not declared here",
            "write the whole rate, `pcie gen5 x16`, or declare `link Gen5x16 = pcie gen5 x16`",
        ),
    ]);
}

#[test]
fn indices() {
    said(&[
        (
            "g[k] -- s : x16",
            "missing-index: `s` is an array of 2",
            "        ^ expected an index",
            "to join them one by one, write `g[k] -- s[k/4]`; to join all to one, `s[0]`",
        ),
        (
            "g[k] -- s[k] : x16",
            "out-of-bounds: `s` has no element 2",
            "          ^ expected 0 to 1",
            "to spread them evenly, write `s[k/4]`",
        ),
        (
            "g[k] -- sw[k] : x16",
            "out-of-bounds: `sw` has no element 4",
            "           ^ expected 0 to 3",
            "to spread them evenly, write `sw[k/2]`",
        ),
        (
            "g[0-3] -- s[0] : x16",
            "syntax: unexpected `-`",
            "   ^ expected `]`",
            "write `g[0..4] -- s[0] : x16`",
        ),
        (
            "g[0:4] -- s[0] : x16",
            "syntax: unexpected `:`",
            "   ^ expected `]`",
            "write `g[0..4] -- s[0] : x16`",
        ),
        (
            "g[0...3] -- s[0] : x16",
            "syntax: unexpected `.`",
            "     ^ expected an integer or a name",
            "write `g[0..4] -- s[0] : x16`",
        ),
        (
            "g[0..=3] -- s[0] : x16",
            "syntax: unexpected `=`",
            "     ^ expected an integer or a name",
            "write `g[0..4] -- s[0] : x16`",
        ),
        (
            "g[8] -- s[0] : x16",
            "out-of-bounds: `g` has no element 8",
            "  ^ expected 0 to 7",
            "indices count from 0, and the end of a range is not part of it",
        ),
        (
            "g[*] -- s[*] : x16",
            "ranges-on-both-sides: several elements on both sides of a join",
            "        ^^^^ expected a single device on one side",
            "to join them one by one, write `g[k] -- s[k/4]`",
        ),
        (
            "g[0], g[1] -- s[0] : x16",
            "syntax: unexpected `,`",
            "    ^ expected `--` or `->`",
            "write `g[0, 1] -- s[0] : x16`",
        ),
        (
            "without g5",
            "unknown-name: there is no device `g5`",
            "        ^^ not declared here",
            "did you mean `g[5]`?",
        ),
        (
            "ranks g[7..0]",
            "empty-range: the range 7..0 has no elements",
            "        ^^^^ expected a larger end",
            "the end of a range is not part of it; ranges ascend; another order is written element by element: `[2, 1, 0]`",
        ),
        ("nic n[4", "syntax: unexpected end of line", "       ^ expected `]`", "write `nic n[4]`"),
        (
            "nic n(4)",
            "syntax: unexpected `(`",
            "     ^ expected the end of the statement",
            "write `nic n[4]`",
        ),
        (
            "nic n 4",
            "syntax: unexpected `4`",
            "      ^ expected the end of the statement",
            "write `nic n[4]`",
        ),
    ]);
}

#[test]
fn comments() {
    said(&[
        (
            "// eight GPUs",
            "syntax: unexpected `/`",
            "^ expected a statement",
            "write `# eight GPUs`",
        ),
        (
            "nic n // one card",
            "syntax: unexpected `/`",
            "      ^ expected the end of the statement",
            "write `nic n # one card`",
        ),
        (
            "/* eight GPUs */",
            "syntax: unexpected `/`",
            "^ expected a statement",
            "write `# eight GPUs`",
        ),
    ]);
}

#[test]
fn units_and_numbers() {
    said(&[
        (
            "g[*] -- s[0] : 25 GBps",
            "unknown-unit: unknown unit `GBps`",
            "                  ^^^^ expected GB/s, GiB/s, MB/s or Gb/s",
            "write `g[*] -- s[0] : 25 GB/s`",
        ),
        (
            "g[*] -- s[0] : 25 GB",
            "unknown-unit: unknown unit `GB`",
            "                  ^^ expected GB/s, GiB/s, MB/s or Gb/s",
            "write `g[*] -- s[0] : 25 GB/s`",
        ),
        (
            "g[*] -- s[0] : 200 Gbps",
            "unknown-unit: unknown unit `Gbps`",
            "                   ^^^^ expected GB/s, GiB/s, MB/s or Gb/s",
            "write `g[*] -- s[0] : 200 Gb/s`",
        ),
        (
            "g[*] -- s[0] : 200 Gbit/s",
            "unknown-unit: unknown unit `Gbit/s`",
            "                   ^^^^^^ expected GB/s, GiB/s, MB/s or Gb/s",
            "write `g[*] -- s[0] : 200 Gb/s`",
        ),
        (
            "g[*] -- s[0] : 25 gb/s",
            "unknown-unit: unknown unit `gb/s`",
            "                  ^^^^ expected GB/s, GiB/s, MB/s or Gb/s",
            "GB/s counts bytes, Gb/s bits: 200 Gb/s are 25 GB/s",
        ),
        (
            "g[*] -- s[0] : 16 GT/s",
            "unknown-unit: unknown unit `GT/s`",
            "                  ^^^^ expected GB/s, GiB/s, MB/s or Gb/s",
            "for a PCIe link write its generation and width: `pcie gen5 x16`",
        ),
        (
            "g[*] -- s[0] : 25",
            "missing-unit: `25` lacks its unit",
            "                 ^ expected GB/s, GiB/s, MB/s or Gb/s",
            "write `25 GB/s`",
        ),
        (
            "g[*] -- s[0] : 1,5 GB/s",
            "missing-unit: `1` lacks its unit",
            "                ^ expected GB/s, GiB/s, MB/s or Gb/s",
            "write `g[*] -- s[0] : 1.5 GB/s`",
        ),
        (
            "g[*] -- s[0] : 1e308 GB/s",
            "exponent: numbers are written without an exponent",
            "               ^^^^^ expected digits and a point, such as `300` or `0.5`",
            "",
        ),
        (
            "g[*] -- s[0] : -5 GB/s",
            "syntax: unexpected `-`",
            "               ^ expected a rate",
            "",
        ),
        (
            "g[*] -- s[0] : x16, latency 3 µs",
            "missing-unit: `3` lacks its unit",
            "                              ^ expected ns or us",
            "write `g[*] -- s[0] : x16, latency 3 us`",
        ),
        (
            "g[*] -- s[0] : x16 latency 3 us",
            "syntax: unexpected `latency`",
            "                   ^^^^^^^ expected the end of the statement",
            "write `g[*] -- s[0] : x16, latency 3 us`",
        ),
        (
            "g[*] -- s[0] : x16, latency=3 us",
            "syntax: unexpected `=`",
            "                           ^ expected a number",
            "write `g[*] -- s[0] : x16, latency 3 us`",
        ),
    ]);
}

#[test]
fn arrows_and_marks() {
    said(&[
        (
            "g[*] - s[0] : x16",
            "syntax: unexpected `-`",
            "     ^ expected `--` or `->`",
            "write `g[*] -- s[0] : x16`",
        ),
        (
            "g[*] <-> s[0] : x16",
            "syntax: unexpected `<`",
            "     ^ expected `--` or `->`",
            "write `g[*] -- s[0] : x16`",
        ),
        (
            "g[*] <- s[0] : x16",
            "syntax: unexpected `<`",
            "     ^ expected `--` or `->`",
            "write `s[0] -> g[*] : x16`",
        ),
        (
            "g[*] → s[0] : x16",
            "syntax: unexpected `→`",
            "     ^ expected `--` or `->`",
            "write `g[*] -> s[0] : x16`",
        ),
        (
            "g[*] – s[0] : x16",
            "syntax: unexpected `–`",
            "     ^ expected `--` or `->`",
            "write `g[*] -- s[0] : x16`",
        ),
        (
            "g[*] --> s[0] : x16",
            "syntax: unexpected `>`",
            "       ^ expected a name",
            "write `g[*] -> s[0] : x16`",
        ),
        (
            "g[*] => s[0] : x16",
            "syntax: unexpected `=`",
            "     ^ expected `--` or `->`",
            "write `g[*] -> s[0] : x16`",
        ),
        (
            "g[*] -- s[0]",
            "syntax: unexpected end of line",
            "            ^ expected `:`",
            "write `g[*] -- s[0] : unknown`, or its rate at the end",
        ),
        (
            "g[*] -- s[0] x16",
            "syntax: unexpected `x16`",
            "             ^^^ expected `:`",
            "write `g[*] -- s[0] : x16`",
        ),
        (
            "g[*] -- s[0] = x16",
            "syntax: unexpected `=`",
            "             ^ expected `:`",
            "write `g[*] -- s[0] : x16`",
        ),
        (
            "link x8 : pcie gen4 x8",
            "syntax: unexpected `:`",
            "        ^ expected `=`",
            "write `link x8 = pcie gen4 x8`",
        ),
        ("param n : 4", "syntax: unexpected `:`", "        ^ expected `=`", "write `param n = 4`"),
        ("param n 4", "syntax: unexpected `4`", "        ^ expected `=`", "write `param n = 4`"),
        (
            "set g[3] = x16",
            "syntax: unexpected `=`",
            "         ^ expected `{`, `:`, `--` or `->`",
            "write `set g[3] : x16`",
        ),
        (
            "peer in socket",
            "syntax: unexpected `in`",
            "     ^^ expected `none` or `within`",
            "write `peer within socket`",
        ),
        (
            "cap bounce 20 GB/s",
            "syntax: unexpected `20`",
            "           ^^ expected `:`",
            "write `cap bounce : 20 GB/s`",
        ),
        (
            "limit push in switch 2",
            "syntax: unexpected `2`",
            "                     ^ expected `:`",
            "write `limit push in switch : 2`",
        ),
        (
            "avoid push same switch different uplink",
            "syntax: unexpected `same`",
            "           ^^^^ expected `from`",
            "write `avoid push from same switch to different uplink`",
        ),
        (
            "efficiency x16 : 2 95",
            "syntax: unexpected end of line",
            "                     ^ expected `%`",
            "write `efficiency x16 : 2 95%`",
        ),
    ]);
}

#[test]
fn strings_attributes_and_names() {
    said(&[
        (
            "use l20-8",
            "syntax: unexpected `l20`",
            "    ^^^ expected a string",
            r#"write `use "l20-8"`"#,
        ),
        (
            "use 'l20-8' as l20",
            r#"syntax: unexpected `'`"#,
            "    ^ expected a string",
            r#"write `use "l20-8" as l20`"#,
        ),
        (
            r#"use "l20-8"#,
            "unclosed-string: the string is not closed",
            r#"    ^^^^^^ expected `"` before the end of the line"#,
            r#"write `use "l20-8"`"#,
        ),
        (
            "nic n { model ConnectX-7 }",
            "syntax: unexpected `ConnectX`",
            "              ^^^^^^^^ expected a string",
            r#"write `nic n { model "ConnectX-7" }`"#,
        ),
        (
            r#"nic n { model = "ConnectX-7" }"#,
            "syntax: unexpected `=`",
            "              ^ expected a string",
            r#"write `nic n { model "ConnectX-7" }`"#,
        ),
        (
            r#"nic n { model: "ConnectX-7" }"#,
            "syntax: unexpected `:`",
            "             ^ expected a string",
            r#"write `nic n { model "ConnectX-7" }`"#,
        ),
        (
            r#"nic n { model "ConnectX-7 }"#,
            "unclosed-string: the string is not closed",
            r#"              ^^^^^^^^^^^^^ expected `"` before the end of the line"#,
            r#"write `nic n { model "ConnectX-7" }`"#,
        ),
        (
            "nic n { bus 0000:17:00.0 }",
            "syntax: unexpected `0000`",
            "            ^^^^ expected a string or `[`",
            r#"write `nic n { bus "0000:17:00.0" }`"#,
        ),
        (
            "gpu a arch sm_89",
            "syntax: unexpected `arch`",
            "      ^^^^ expected the end of the statement",
            "write `gpu a { arch sm_89 }`",
        ),
        (
            r#"gpu a { arch "sm_89" }"#,
            "syntax: unexpected string",
            "             ^^^^^^^ expected a name",
            "write `gpu a { arch sm_89 }`",
        ),
        (
            "gpu a { arch 8.9 }",
            "syntax: unexpected `8.9`",
            "             ^^^ expected a name",
            "write `gpu a { arch sm_89 }`",
        ),
        (
            "gpu a { arch sm89 }",
            "bad-arch: `sm89` is no architecture",
            "        ^^^^^^^^^ expected `sm_` and a compute capability, such as `sm_89`",
            "write `arch sm_89`",
        ),
        (
            r#"gpu a { arch sm_89 model "L20" }"#,
            "syntax: unexpected `model`",
            "                   ^^^^^ expected `}`",
            r#"write `gpu a { arch sm_89, model "L20" }`"#,
        ),
        (
            "s[0] -- s[1] : 39 GB/s assumed measured once",
            "syntax: unexpected `measured`",
            "                               ^^^^^^^^ expected the end of the statement",
            r#"write `s[0] -- s[1] : 39 GB/s assumed "measured once"`"#,
        ),
        (
            "part host",
            "syntax: unexpected end of line",
            "         ^ expected `{`",
            "write `part host {`",
        ),
        (
            "nic my-nic",
            "syntax: unexpected `-`",
            "      ^ expected the end of the statement",
            "write `nic my_nic`",
        ),
        (
            "socket link",
            "reserved-word: `link` is a word of the language and no name",
            "       ^^^^ expected a name",
            "another name would do: `link_`, `my_link`",
        ),
        (
            "GPU a",
            "unknown-kind: there is no kind of device or part `GPU`",
            "^^^ expected gpu, nic, switch, socket, fabric or a part's name",
            "did you mean `gpu`?",
        ),
        (
            "nvlink g[0] -- g[1] : 50 GB/s",
            "unknown-kind: there is no kind of device or part `nvlink`",
            "^^^^^^ expected gpu, nic, switch, socket, fabric or a part's name",
            "",
        ),
    ]);
}

/// The files of other systems read as well.
#[test]
fn line_ends_tabs_and_marks_of_order_are_blanks() {
    let text = "topology \"m\"\nsocket s\ngpu g[2]\ng[*] -- s : 25 GB/s\n";
    let shown = |text: &str| {
        let machine = language_support::machine(text);
        let devices: Vec<String> = machine.devices.iter().map(|one| one.path.clone()).collect();
        let links = machine.links.iter().map(|one| (one.from, one.to, one.value.rate));
        (machine.name.clone(), devices, links.collect::<Vec<_>>())
    };
    for other in [
        text.replace('\n', "\r\n"),
        format!("\u{feff}{text}"),
        text.replace(' ', "\t"),
        text.trim_end().to_owned(),
    ] {
        assert_eq!(shown(&other), shown(text), "{other:?}");
    }
}

#[test]
fn several_slips_of_a_statement_are_put_right_together() {
    let text = errors(&format!("{MACHINE}g[0-3] - s[0] = pcie Gen4 16 // half\n"));
    assert!(text.contains("write `g[0..4] -- s[0] : pcie gen4 x16 # half`"), "{text}");
}

#[test]
fn nothing_is_proposed_that_does_not_read() {
    let text = errors(&format!("{MACHINE}g[0-3] - s[0] = pcie Gen9 ?\n"));
    assert!(!text.contains("help: write"), "{text}");
}

/// `g[0..3]` and `g[4..7]` leave two GPUs out; only the topology can tell.
#[test]
fn the_end_of_a_range_is_remembered_where_an_element_is_left_out() {
    let machine = language_support::machine(&format!(
        "{MACHINE}s[0] -- s[1] : x16\nsw[k] -- s[k/2] : x16\ng[0..3] -- s[0] : x16\n\
         g[3] -- s[1] : x16\ng[4..7] -- s[1] : x16\n"
    ));
    let digest = variopath::base::Digest::of(b"");
    let errors = variopath::topology::build(&machine, digest).unwrap_err();
    let error = errors.iter().next().unwrap();
    assert_eq!(error.message, "g[7] has no link");
    assert_eq!(error.help[1], "the end of a range is not part of it: `[0..8]` takes in g[7]");
}
