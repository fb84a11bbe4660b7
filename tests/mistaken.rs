//! Whoever mistakes one thing for another is told what it is and where it belongs.

mod command_support;
mod language_support;

use command_support::variopath;
use language_support::errors;
use std::fs;

#[test]
fn documents_files_and_presets_in_each_others_place() {
    let folder = tempfile::tempdir().expect("a folder");
    let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).expect("write");
    write("box.topo", "# mine\ntopology \"box\"\nsocket s\ngpu g[2] -- s : 26 GB/s\n");
    write("m.json", "{\"format\": \"variopath-measured/1\", \"devices\": [], \"series\": []}\n");
    write("plan.json", "{\n  \"format\": \"variopath-plan/1\"\n}\n");
    fs::create_dir(folder.path().join("dumps")).expect("a folder");
    fs::create_dir(folder.path().join("old")).expect("a folder");
    for (arguments, exit, code, help) in [
        (
            &["check", "m.json"][..],
            1,
            "not-a-machine",
            "`variopath calibrate FILE.topo --measured` takes it",
        ),
        (
            &["import", "m.json"],
            1,
            "not-a-machine",
            "`variopath calibrate FILE.topo --measured` takes it",
        ),
        (
            &["fmt", "m.json"],
            1,
            "not-a-machine",
            "`variopath calibrate FILE.topo --measured` takes it",
        ),
        (&["plan", "plan.json"], 1, "not-a-machine", "`variopath verify TARGET --plan` takes it"),
        (
            &["calibrate", "m.json", "--measured", "box.topo"],
            1,
            "not-a-machine",
            "--measured` takes it",
        ),
        (&["import", "box.topo"], 1, "import-format", "`variopath check` reads it as it stands"),
        (&["import", "dumps"], 4, "file", "`--table` tells about each dump in a folder"),
        (&["fmt", "l20-8"], 4, "not-a-file", "`variopath presets l20-8 > mine.topo`"),
        (
            &["calibrate", "l20-8", "--measured", "m.json"],
            4,
            "not-a-file",
            "presets l20-8 > mine.topo",
        ),
        (&["plan", "box"], 1, "unknown-preset", "for the file write `box.topo`"),
        (&["plan", "l20"], 1, "unknown-preset", "did you mean `l20-8` or `l20-cluster`?"),
        (&["presets", "l20_8"], 1, "unknown-preset", "did you mean `l20-8`?"),
        (&["build", "box.topo", "-o", "old"], 4, "exists", "pass --force to replace a bundle"),
    ] {
        let (found, _, err) = variopath(folder.path(), arguments);
        assert_eq!(found, exit, "{arguments:?}: {err}");
        assert!(err.contains(&format!("error[{code}]: ")), "{arguments:?}: {err}");
        assert!(err.contains(help), "{arguments:?}: {err}");
    }
}

#[test]
fn what_has_no_effect_or_is_too_large_is_told() {
    let folder = tempfile::tempdir().expect("a folder");
    let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).expect("write");
    for (name, rate) in [("old.topo", 26), ("new.topo", 13)] {
        write(name, &format!("topology \"box\"\nsocket s\ngpu g[2] -- s : {rate} GB/s\n"));
    }
    let (code, out, err) = variopath(folder.path(), &["presets", "l20-8", "--set", "n=2"]);
    assert_eq!((code, out.starts_with('#')), (0, true), "{err}");
    assert!(err.starts_with("warning[no-effect]: --set has no effect"), "{err}");
    // Two states of one machine have one name.
    let (code, out, err) = variopath(folder.path(), &["compare", "old.topo", "new.topo"]);
    assert_eq!(code, 0, "{err}");
    assert!(out.contains("A           old.topo: box (file): 2 GPUs"), "{out}");
    assert!(out.contains("B           new.topo: box (file): 2 GPUs"), "{out}");
    let swapped = ["calibrate", "old.topo", "--measured", "new.topo"];
    let (code, _, err) = variopath(folder.path(), &swapped);
    assert_eq!(code, 1);
    assert!(err.starts_with("error[calibrate-measured]: new.topo: this describes"), "{err}");
    let large = ["run", "old.topo", "--demand", "uniform:4GiB"];
    let (code, _, err) = variopath(folder.path(), &large);
    assert_eq!(code, 3, "{err}");
    assert!(err.contains("run a smaller demand, such as uniform:1MiB"), "{err}");
}

/// The help of the one error in a text.
fn help(text: &str) -> String {
    let text = errors(text);
    assert!(!text.contains("2 errors"), "{text}");
    let helps = text.lines().filter_map(|line| line.trim().strip_prefix("= help: "));
    helps.collect::<Vec<_>>().join("; ")
}

#[test]
fn words_left_out_and_put_in() {
    const MACHINE: &str = "topology \"m\"\nsocket s[2]\ngpu g[8]\n";
    for (statement, wanted) in [
        ("g[3] : pcie gen4 x8", "write `set g[3] : pcie gen4 x8`"),
        ("without gpu g[5]", "write `without g[5]`"),
        ("g[*] -- s[0] : pcie gen4x16", "write `g[*] -- s[0] : pcie gen4 x16`"),
        ("g[*] -- s[0] : 20 GB/s, latency 2 ms", "a millisecond is `1000 us`"),
        ("peer whitin socket", "did you mean `within`?"),
        // The size of a GPU's memory, which the language has no word for: no rate is proposed.
        ("set g[0] { memory 48 GB }", ""),
    ] {
        assert_eq!(help(&format!("{MACHINE}{statement}\n")), wanted, "{statement}");
    }
}

#[test]
fn headers() {
    for (text, wanted) in [
        ("topology box\nsocket s\n", "write `topology \"box\"`"),
        ("topology 8x RTX 4090 # mine\nsocket s\n", "write `topology \"8x RTX 4090\"`"),
        ("topology\nsocket s\n", "write `topology \"name\"`"),
        ("socket s\n", "write `topology \"name\"`"),
    ] {
        assert_eq!(help(text), wanted, "{text}");
    }
}
