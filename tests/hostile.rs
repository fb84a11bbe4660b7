//! Input that means harm: a clear error, the right exit code, and neither hours nor all the memory.
//!
//! Memory is asserted on. Times are only bounded by a limit that no run comes near, since other
//! work may share the machine; `tests/hostile_times.sh` prints those of a release build. The binary is
//! that of `VARIOPATH_BINARY`, else the one beside the tests, which takes ten times as long.

#![cfg(unix)]

mod hostile_support;

use hostile_support::{Case, Piece, bytes, check, repeat, text};

const MIB: usize = 1 << 20;

#[test]
fn xml() {
    let bomb: String = (1..10).fold("<!ENTITY a0 \"lol\">".to_owned(), |all, level| {
        let inner = format!("&a{};", level - 1).repeat(10);
        format!("{all}<!ENTITY a{level} \"{inner}\">")
    });
    let bomb =
        format!("<?xml version=\"1.0\"?><!DOCTYPE b [{bomb}]><system version=\"1\">&a9;</system>");
    let wide: String = (0..100_000).map(|number| format!(" a{number}='1'")).collect();
    check(&[
        Case::import("a bomb of entities", "m.xml", text(bomb))
            .says(1, "error[xml-entities]: the XML declares a document type of its own"),
        Case::import(
            "200,000 open elements",
            "m.xml",
            repeat("<system version='1'>", "<pci>", 200_000, ""),
        )
        .says(1, "error[xml-ends]: the XML ends before `<pci>` is closed"),
        Case::import(
            "200,000 nested elements of NCCL",
            "m.xml",
            vec![
                Piece::Text("<system version='1'>".into()),
                Piece::Repeat("<pci>".into(), 200_000),
                Piece::Repeat("</pci>".into(), 200_000),
                Piece::Text("</system>".into()),
            ],
        )
        .says(1, "error[xml-limit]: the XML is nested deeper than 256 elements"),
        Case::import(
            "200,000 nested elements of hwloc",
            "m.xml",
            vec![
                Piece::Text("<topology version='2.0'>".into()),
                Piece::Repeat("<object>".into(), 200_000),
                Piece::Repeat("</object>".into(), 200_000),
                Piece::Text("</topology>".into()),
            ],
        )
        .says(1, "error[xml-limit]: the XML is nested deeper than 256 elements"),
        Case::import(
            "a line of 100 MB",
            "m.xml",
            repeat("<system version='1'><cpu a='", "x", 100 * MIB, ""),
        )
        .says(1, "error[too-large]: m.xml: the input is larger than 4 MiB"),
        Case::import(
            "an attribute of almost 4 MiB",
            "m.xml",
            repeat("<system version='1'><cpu a='", "x", 4 * MIB - 100, "'/></system>"),
        )
        .says(1, "error[import-no-gpu]: the file has no GPU"),
        Case::import("100,000 attributes", "m.xml", text(format!("<system{wide}/>")))
            .says(1, "error[xml-limit]: an element has more than 256 attributes"),
        Case::import(
            "600,000 elements",
            "m.xml",
            repeat("<system version='1'>", "<cpu/>", 600_000, "</system>"),
        )
        .says(1, "error[xml-limit]: the XML has more than 500000 nodes"),
    ]);
}

#[test]
fn nesting() {
    check(&[
        Case::check(
            "90,000 parts in each other",
            vec![
                Piece::Text("topology \"m\"\n".into()),
                Piece::Repeat("part a{\n".into(), 90_000),
                Piece::Repeat("}\n".into(), 90_000),
            ],
        )
        .says(1, "error[too-deep]: parts nest deeper than 32"),
        Case::check("200,000 brackets", repeat("topology \"m\"\ng", "[", 200_000, ""))
            .says(1, "error[syntax]: unexpected `[`"),
        Case::check("200,000 braces", repeat("topology \"m\"\n", "{", 200_000, ""))
            .says(1, "error[syntax]: unexpected `{`"),
        Case::check(
            "a path of 200,000 steps",
            repeat("topology \"m\"\na", ".a", 200_000, " -- b : 1 GB/s"),
        )
        .says(1, "error[unknown-name]: there is no device `a`"),
        Case::demand("200,000 arrays", "d.json", repeat("", "[", 200_000, ""))
            .says(1, "error[demand-file]: ./d.json: line 1, column 128: recursion limit exceeded"),
        Case::demand("200,000 objects", "d.json", repeat("", "{\"a\":", 200_000, ""))
            .says(1, "error[demand-file]: ./d.json: line 1, column 636: recursion limit exceeded"),
        Case::plan("a plan of 200,000 arrays", repeat("{\"format\":", "[", 200_000, "")).says(
            1,
            "error[not-a-plan]: p.json: not a plan: invalid type: sequence, expected a string at \
             line 1 column 10",
        ),
        Case::plan("steps of 200,000 arrays", repeat("{\"steps\":", "[", 200_000, "")).says(
            1,
            "error[not-a-plan]: p.json: not a plan: EOF while parsing a list at line 1 column 200009",
        ),
    ]);
}

#[test]
fn long_lines() {
    check(&[
        Case::check("a line of 100 MB", repeat("topology \"", "x", 100 * MIB, ""))
            .says(1, "error[too-large]: m.topo: the input is larger than 4 MiB"),
        Case::fmt("a line of 3 MB", repeat("topology \"", "x", 3_000_000, "")).says(
            1,
            "error[file-too-large]: m.topo: 3000010 bytes are no topology file; the limit is 1048576",
        ),
        Case::check("a name of 1 MB", repeat("topology \"m\"\ngpu ", "x", 1_000_000, ""))
            .says(1, "error[too-long]: the name is too long"),
        Case::check("a string of 1 MB", repeat("topology \"", "x", 1_000_000, "\""))
            .says(1, "error[too-long]: the string is too long"),
        Case::import(
            "a matrix with a line of 100 MB",
            "m.txt",
            repeat("\tGPU0\tGPU1\nGPU0\tX\t", "x", 100 * MIB, ""),
        )
        .says(1, "error[too-large]: m.txt: the input is larger than 4 MiB"),
        Case::import(
            "a matrix with a line of almost 4 MiB",
            "m.txt",
            repeat("\tGPU0\tGPU1\nGPU0\t X \tPIX\nGPU1\tPIX\t", "x", 4 * MIB - 100, ""),
        )
        .fails(1, "error[import-label]: unknown label `xxx"),
        Case::import("a bus of almost 4 MiB", "m.txt", repeat("-[0000:00]-+-00.0  ", "x", 4 * MIB - 100, ""))
            .says(
            1,
            "error[import-lspci]: no GPU by name among the PCI functions (2 told)",
        ),
        Case::import(
            "a bus with half a million bridges",
            "m.txt",
            repeat("-[0000:00]-", "+-01.0-", 500_000, ""),
        )
        .fails(1, "error[import-"),
        Case::import(
            "details with a speed of almost 4 MiB",
            "m.txt",
            repeat(
                "17:00.0 3D controller: NVIDIA Corporation Device 26ba\n\t\tLnkSta: Speed ",
                "1",
                4 * MIB - 200,
                "",
            ),
        )
        .says(
            1,
            "error[import-no-tree]: m.txt tells links but not what hangs on what",
        ),
        Case::demand("a row of five million numbers", "d.csv", repeat("1", ",1", 5_000_000, ""))
            .says(1, "error[demand-shape]: ./d.csv: 10000001 bytes are no demand of 8 ranks"),
        Case::demand("an entry of 100 MB", "d.csv", repeat("", "1", 100 * MIB, ""))
            .says(1, "error[too-large]: ./d.csv: the input is larger than 32 MiB"),
        Case::plan("a plan of 100 MB", repeat("", "1", 100 * MIB, ""))
            .says(1, "error[too-large]: p.json: the input is larger than 64 MiB"),
        Case::plan(
            // As values they would take 250 MB.
            "a plan with eight million numbers",
            repeat("{\"format\":\"variopath-plan/1\",\"x\":[0", ",0", 8_000_000, "]}"),
        )
        .fails(1, "error[not-a-plan]: p.json: not a plan: missing field `topology`"),
    ]);
}

#[test]
fn matrices() {
    // 300 GPUs on each of two switches, with NVLink between any two of different switches.
    let label = |row: usize, column: usize| match (row == column, row / 300 == column / 300) {
        (true, _) => "X",
        (false, true) => "PIX",
        (false, false) => "NV1",
    };
    let header: String = (0..600).map(|gpu| format!("\tGPU{gpu}")).collect();
    let row = |row: usize| {
        let labels: String = (0..600).map(|column| format!("\t{}", label(row, column))).collect();
        format!("\nGPU{row}{labels}")
    };
    let matrix = header + &(0..600).map(row).collect::<String>() + "\n";
    check(&[Case::import("600 GPUs whose places NVLink hides", "m.txt", text(matrix))
        .fails(0, "warning[import-sockets]")]);
}

#[test]
fn uses() {
    let main = |target: &str| text(format!("topology \"m\"\nuse \"{target}\"\n"));
    let uses = |target: &str| format!("topology \"x\"\nuse \"{target}\"\n");
    check(&[
        Case::check("a file that uses itself", main("m.topo"))
            .says(1, "error[use-cycle]: the file uses itself: m.topo uses m.topo"),
        Case::check("two files that use each other", main("a.topo"))
            .with("a.topo", uses("m.topo"))
            .says(1, "error[use-cycle]: the file uses itself: m.topo uses a.topo uses m.topo"),
        Case::check("three files in a circle", main("a.topo"))
            .with("a.topo", uses("b.topo"))
            .with("b.topo", "topology \"b\"\nuse \"m.topo\" as m\n".to_owned())
            .says(1, "error[use-cycle]: the file uses itself: m.topo uses a.topo uses b.topo uses m.topo"),
        Case::check("a path upwards", main("../m.topo")).says(
            1,
            "error[use-escape]: `../m.topo` lies outside the folder of the main file",
        ),
        Case::check("a path down and up", main("a/../../m.topo")).says(
            1,
            "error[use-escape]: `a/../../m.topo` lies outside the folder of the main file",
        ),
        Case::check("an absolute path", main("/etc/passwd"))
            .says(1, "error[use-escape]: `/etc/passwd` lies outside the folder of the main file"),
        Case::check("a link that leads out", main("out.topo"))
            .linked("out.topo", "/etc/passwd")
            .says(1, "error[use-escape]: `out.topo` lies outside the folder of the main file"),
        Case::check("measurements elsewhere", text("topology \"m\"\nmeasured \"../p.json\"\n".into()))
            .says(1, "error[use-escape]: `../p.json` lies outside the folder of the main file"),
        Case::check("a pipe", main("pipe.topo"))
            .pipe("pipe.topo")
            .says(4, "error[unreadable]: cannot read pipe.topo: it is no ordinary file"),
        Case::check("a folder", main("folder.topo"))
            .folder("folder.topo")
            .says(4, "error[unreadable]: cannot read folder.topo: it is no ordinary file"),
        Case::check("a file that is not there", main("none.topo"))
            .says(4, "error[unreadable]: cannot read none.topo: there is no such file"),
    ]);
}

#[test]
fn sizes() {
    let machine = |body: &str| text(format!("topology \"m\"\n{body}\n"));
    let devices = "error[machine-size]: the machine has more than 65536 devices";
    check(&[
        Case::check("10^9 GPUs", machine("gpu g[1000000000]"))
            .says(1, "error[array-size]: an array of 1000000000 elements"),
        Case::check("10^9 GPUs by a param", machine("param n = 1000000000\ngpu g[n]"))
            .says(1, "error[array-size]: an array of 1000000000 elements"),
        Case::preset("10^9 nodes by --set", &["check", "l20-cluster", "--set", "nodes=1000000000"])
            .says(1, "error[array-size]: an array of 1000000000 elements"),
        Case::preset("10^23 nodes by --set", &["check", "l20-cluster", "--set", "nodes=99999999999999999999999"])
            .fails(2, "error: invalid value 'nodes=99999999999999999999999' for '--set <NAME=N>'"),
        Case::preset("4096 nodes by --set", &["check", "l20-cluster", "--set", "nodes=4096"])
            .says(1, devices),
        Case::check("parts that multiply", machine("part a { gpu g[4096] }\npart b { a x[4096] }\npart c { b x[4096] }\nc y[4096]"))
            .says(1, devices),
        Case::check("empty parts that multiply", machine("part a { }\npart b { a x[4096] }\npart c { b x[4096] }\nc y[4096]"))
            .says(1, devices),
        Case::check("80,000 statements", repeat("topology \"m\"\n", "gpu g\n", 1, &(0..80_000).map(|n| format!("gpu a{n}\n")).collect::<String>()))
            .says(1, devices),
        Case::check("10^9 links", machine("part a { socket s }\npart b { a x[4096] }\nb y[15]\nfabric f[32]\nh[*].x -- f[0] : 1 GB/s"))
            .says(1, "error[unknown-name]: there is no device `h`"),
        Case::check("links of all to many", machine(&format!("part a {{ socket s }}\npart b {{ a x[4096] }}\nb y[15]\nfabric f[16]\n{}", (0..16).map(|n| format!("y[*].x[*].s -- f[{n}] : 1 GB/s\n")).collect::<String>())))
            .says(1, "error[machine-size]: the machine has more than 262144 links"),
        Case::check("a range of 10^9", machine("gpu g[8]\ng[0..1000000000] -- g[0] : 1 GB/s"))
            .says(1, "error[out-of-bounds]: `g` has no element 8"),
        Case::check("16 million pairs", machine("gpu g[4096]\nforbid g[*] -- g[*]"))
            .says(1, "error[machine-size]: rules and totals name more than 1048576 pairs, devices and links"),
        Case::check("4096 GPUs without a link", machine("gpu g[4096]\nswitch s[4096]\ns[*] -- g[0] : 1 GB/s"))
            .fails(1, "error[no-link]: g["),
        Case::check("a rank for each of four million", machine(&format!("socket s\ngpu g[4096]\ng[*] -- s : 1 GB/s\nranks g[*]{}", ", g[*]".repeat(1000))))
            .says(1, "error[duplicate-rank]: `g[0]` has two ranks"),
        Case::preset("10^9 ranks", &["demand", "uniform", "--ranks", "1000000000"])
            .fails(2, "error: invalid value '1000000000' for '--ranks <N>'"),
        Case::demand("a demand of 10^9 ranks", "d.json", text("{\"format\":\"variopath-demand/1\",\"ranks\":1000000000,\"bytes\":[]}".into()))
            .says(1, "error[demand-file]: ./d.json: `ranks` says 1000000000, and `bytes` has 0 rows"),
    ]);
}

#[test]
fn numbers() {
    let worth = |value: &str| text(format!("topology \"m\"\ngpu g[2]\ng[0] -- g[1] : {value}\n"));
    check(&[
        Case::check("1e308 GB/s", worth("1e308 GB/s"))
            .says(1, "error[exponent]: numbers are written without an exponent"),
        Case::check("1e-308 GB/s", worth("1e-308 GB/s"))
            .says(1, "error[exponent]: numbers are written without an exponent"),
        Case::check("10^308 GB/s", worth(&format!("1{} GB/s", "0".repeat(308))))
            .says(1, "error[long-number]: the number has too many digits"),
        Case::check("10^-308 GB/s", worth(&format!("0.{}1 GB/s", "0".repeat(307))))
            .says(1, "error[long-number]: the number has too many digits"),
        Case::check("10^17 GiB/s", worth("99999999999999999 GiB/s"))
            .says(1, "error[absurd-rate]: this is more than any link carries"),
        Case::check("less than a byte a second", worth("0.00000000001 GB/s"))
            .says(1, "error[zero-rate]: a link of rate zero carries nothing"),
        Case::check("a width without end", worth("pcie gen4 x99999999999999999999"))
            .says(1, "error[bad-pcie]: there is no PCIe `x99999999999999999999`"),
        Case::check("a latency of years", worth("1 GB/s, latency 999999999999999999 us"))
            .says(1, "error[absurd-latency]: a latency of more than a second"),
        Case::check("a param beyond 64 bits", text("topology \"m\"\nparam n = 99999999999999999999\n".into()))
            .says(1, "error[long-number]: the number has too many digits"),
        Case::demand("2^64 bytes", "d.csv", text("0,18446744073709551616\n0,0\n".into()))
            .says(1, "error[demand-entry]: ./d.csv: line 1, field 2: `18446744073709551616` is more than the supported 2^53 bytes"),
    ]);
}

#[test]
fn many_errors() {
    check(&[
        Case::check(
            "250,000 statements that do not read",
            repeat("topology \"m\"\n", "a -\n", 250_000, ""),
        )
        .says(1, "error[syntax]: unexpected `-`"),
        Case::check(
            "140,000 joins of nothing",
            repeat("topology \"m\"\n", "a--b:c\n", 140_000, ""),
        )
        .says(1, "error[unknown-name]: there is no device `a`"),
        Case::check("170,000 duplicates", repeat("topology \"m\"\n", "gpu g\n", 170_000, ""))
            .says(1, "error[duplicate-name]: `g` is declared twice"),
        Case::check(
            "a wrong part 4096 times",
            text(format!("topology \"m\"\npart p {{\n{}}}\np x[4096]\n", "a--b:c\n".repeat(1000))),
        )
        .says(1, "error[unknown-name]: there is no device `a`"),
        Case::check(
            "a chain of 50,000 links",
            text(format!(
                "topology \"m\"\n{}",
                (0..50_000).map(|n| format!("link l{n} = l{}\n", n + 1)).collect::<String>()
            )),
        )
        .says(1, "error[unknown-name]: there is no link `l50000`"),
        Case::check("a million separators", repeat("topology \"m\"\n", ";", 1_000_000, ""))
            .says(1, "error[no-gpu]: the machine has no GPU"),
    ]);
}

#[test]
fn what_is_no_text() {
    check(&[
        Case::check("an empty file", text(String::new()))
            .says(1, "error[empty-file]: the file describes no machine"),
        Case::import("an empty dump", "m.txt", text(String::new()))
            .says(1, "error[import-format]: m.txt: the file is empty"),
        Case::check("zeros", repeat("", "\0", 1000, ""))
            .says(1, "error[syntax]: unexpected `\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0…`"),
        Case::check("a zero in a name", text("topology \"m\"\ngpu g\0[8]\n".into()))
            .says(1, "error[syntax]: unexpected `\\0`"),
        Case::check("a control character in a string", text("topology \"m\x1b[2J\"\n".into()))
            .says(1, "error[bad-escape]: an unknown escape or a control character in the string"),
        Case::check("no UTF-8", bytes(b"topology \"m\"\ngpu \xff g\n"))
            .says(1, "error[not-utf-8]: m.topo: line 2 is not UTF-8 text (byte 17 of the file)"),
        Case::preset("a folder", &["fmt", "."]).says(4, "error[file]: .: cannot read: Is a directory"),
        Case::preset("no file", &["check", "none.topo"])
            .says(4, "error[file]: none.topo: cannot read: No such file or directory"),
        Case::preset("zeros without end", &["check", "/dev/zero"])
            .says(1, "error[too-large]: /dev/zero: the input is larger than 4 MiB"),
        Case::preset("a dump without end", &["import", "/dev/zero"])
            .says(1, "error[too-large]: /dev/zero: the input is larger than 4 MiB"),
        Case::preset("a demand without end", &["plan", "l20-8", "--demand", "/dev/zero"])
            .says(1, "error[too-large]: /dev/zero: the input is larger than 32 MiB"),
        Case::preset("standard input without end", &["check", "-"])
            .reads("/dev/zero")
            .says(1, "error[too-large]: <stdin>: the input is larger than 4 MiB"),
        Case::preset("a pipe that nobody writes to", &["check", "pipe.topo"])
            .pipe("pipe.topo")
            .says(4, "error[named-pipe]: pipe.topo: it is a named pipe, no file"),
    ]);
}
