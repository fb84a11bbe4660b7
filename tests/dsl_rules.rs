//! Rules and totals with their names looked up, and what is said about wrong ones.

mod language_support;

use language_support::{errors, in_machine};
use std::collections::BTreeMap;
use variopath::diagnostics::{Sources, render};
use variopath::dsl;
use variopath::dsl::machine::{Machine, Rule};

fn machine(text: &str) -> Machine {
    let mut sources = Sources::new();
    let id = sources.add("m.topo", text);
    dsl::parse(&sources, id)
        .and_then(|file| dsl::resolve(file, &mut sources, id, &BTreeMap::new()))
        .and_then(|file| dsl::elaborate(&file))
        .unwrap_or_else(|e| panic!("{}", render(&sources, &e, false)))
}

/// The links that each `efficiency` of the machine is about, with its part.
fn efficiencies(machine: &Machine) -> Vec<String> {
    let link = |link: &usize| {
        let link = &machine.links[*link];
        let arrow = if link.duplex { "--" } else { "->" };
        format!("{} {arrow} {}", machine.devices[link.from].path, machine.devices[link.to].path)
    };
    let rules = machine.rules.iter().filter_map(|placed| match &placed.rule {
        Rule::Efficiency { links, .. } => {
            let links: Vec<String> = links.iter().map(link).collect();
            Some(format!("{}: {}", placed.part, links.join(", ")))
        }
        _ => None,
    });
    rules.collect()
}

#[test]
fn an_efficiency_is_about_the_links_of_its_kind() {
    let text = "topology \"m\"
link x16 = pcie gen4 x16
link far = x16, latency 1 us
socket s[2]
gpu g[5]
s[0] -- s[1] : 26.3 GB/s
g[0] -- s[0] : x16
g[1] -- s[0] : pcie gen4 x16
g[2] -- s[1] : far
g[3] -- s[1] : x16
g[4] -- s[1] : 12 GB/s
set g[3] -> s[1] : pcie gen4 x8
set g[4] : x16
efficiency x16 : 2 90%
efficiency far : 2 80%
";
    assert_eq!(
        efficiencies(&machine(text)),
        [
            // `far` is worth what `x16` is; only one direction of g[3] is still one.
            ": g[0] -- s[0], g[2] -- s[1], s[1] -> g[3], g[4] -- s[1]",
            ": g[2] -- s[1]"
        ]
    );
}

#[test]
fn an_efficiency_in_a_part_means_the_link_seen_from_there() {
    let text = "topology \"m\"
link x16 = pcie gen4 x16
part a {
  link x16 = pcie gen3 x16
  socket s
  gpu g -- s : x16
  efficiency x16 : 2 90%
}
part b {
  socket s
  gpu g[2] -- s : x16
  efficiency x16 : 2 80%
}
a p
b q[2]
fabric f
p.s -- f : x16
efficiency x16 : 2 70%
without q[0].g[0]
";
    assert_eq!(
        efficiencies(&machine(text)),
        [
            "p: p.g -- p.s",
            "q[0]: q[0].g[1] -- q[0].s",
            "q[1]: q[1].g[0] -- q[1].s, q[1].g[1] -- q[1].s",
            ": q[0].g[1] -- q[0].s, q[1].g[0] -- q[1].s, q[1].g[1] -- q[1].s, p.s -- f"
        ]
    );
}

#[test]
fn pairs_of_a_forbid_lie_in_one_node() {
    let text = "topology \"m\"
part host { socket s; gpu g[2] -- s : 25 GB/s }
host h[2]
fabric f
h[*].s -- f : 25 GB/s
forbid push h[*].g[0] -> h[*].g[1]
";
    let machine = machine(text);
    let pairs = vec![(1, 2), (4, 5)];
    assert_eq!(
        machine.rules[0].rule,
        Rule::Forbid { mode: Some(variopath::base::Mode::Push), pairs }
    );
    let gone = text.replace("[0] -> h[*]", "[0] -> h[0]") + "without h[0].g[1]\n";
    assert!(
        matches!(&self::machine(&gone).rules[0].rule, Rule::Forbid { pairs, .. } if pairs.is_empty())
    );
}

#[test]
fn totals_follow_set_and_without() {
    let text = "topology \"m\"
part host {
  socket s[2]
  gpu g[2]
  s[0] -- s[1] : 39 GB/s
  g[k] -- s[k] : 25 GB/s
  total s[0] -- s[1] : 64 GB/s, latency 1 us
  total s[0] : 80 GB/s
}
host h[2]
set h[0].s[0] -> h[0].s[1] : 30 GB/s
without h[1].g[0], h[1].s[1]
";
    let machine = machine(text);
    let totals: Vec<_> =
        machine.totals.iter().map(|t| (t.name.as_str(), t.links.clone())).collect();
    // Two links one way each in h[0]; h[1] has lost the sockets' link and, with it, all of s[0].
    assert_eq!(
        totals,
        [
            ("h[0].s[0] -- h[0].s[1]", vec![(0, true), (1, true)]),
            ("h[0].s[0]", vec![(1, true), (2, true)])
        ]
    );
    assert_eq!(machine.links.len(), 4);
}

#[test]
fn measured_files_are_named_from_the_main_file_on() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join("parts")).unwrap();
    let inner = "topology \"i\"\ngpu g\nmeasured \"./p2p.json\"\n";
    std::fs::write(folder.path().join("parts/inner.topo"), inner).unwrap();
    let main = folder.path().join("main.topo").to_string_lossy().into_owned();
    let mut sources = Sources::new();
    let id = sources.add(
        main,
        "topology \"m\"\nuse \"parts/inner.topo\" as p\np q\nmeasured pull \"../x.json\"\n",
    );
    let file = dsl::parse(&sources, id).unwrap();
    let errors = dsl::resolve(file, &mut sources, id, &BTreeMap::new()).unwrap_err();
    assert_eq!(errors.iter().map(|e| e.code).collect::<Vec<_>>(), ["use-escape"]);

    let id = sources.add(
        folder.path().join("main.topo").to_string_lossy(),
        "topology \"m\"\nuse \"parts/inner.topo\" as p\np q\n",
    );
    let file = dsl::parse(&sources, id).unwrap();
    let file = dsl::resolve(file, &mut sources, id, &BTreeMap::new()).unwrap();
    assert!(
        dsl::format(&file).contains("  measured \"parts/p2p.json\"\n"),
        "{}",
        dsl::format(&file)
    );
    let errors = dsl::measured_files(&file, &sources, id).unwrap_err();
    let shown = render(&sources, &errors, false).replace(&*folder.path().to_string_lossy(), "DIR");
    insta::assert_snapshot!(shown, @r#"
    error[unreadable]: cannot read DIR/parts/p2p.json: there is no such file
     --> DIR/parts/inner.topo:3:10
      |
    3 | measured "./p2p.json"
      |          ^^^^^^^^^^^^
    "#);
    std::fs::write(folder.path().join("parts/p2p.json"), "{}").unwrap();
    dsl::measured_files(&file, &sources, id).unwrap();
}

#[test]
fn wrong_rules() {
    insta::assert_snapshot!(in_machine("forbid g[0] -> s[0]\nvia sw[0] : g[1]\nvia g[0] : g[1]"), @r#"
    error[wrong-kind]: `s[0]` is a socket, no gpu
     --> m.topo:5:16
      |
    5 | forbid g[0] -> s[0]
      |                ^^^^ expected a gpu: `forbid` is about pairs of GPUs
    error[wrong-kind]: `sw[0]` is a switch, no gpu
     --> m.topo:6:5
      |
    6 | via sw[0] : g[1]
      |     ^^^^^ expected a gpu: `via` names GPUs, then `:`, then network cards
    error[wrong-kind]: `g[1]` is a gpu, no nic
     --> m.topo:7:12
      |
    7 | via g[0] : g[1]
      |            ^^^^ expected a nic: `via` names GPUs, then `:`, then network cards
    3 errors
    "#);
    insta::assert_snapshot!(in_machine("forbid g[0] -> g[0]\nforbid g[0] -> g[1]"), @r#"
    error[forbids-nothing]: no pair of different GPUs is named
     --> m.topo:5:1
      |
    5 | forbid g[0] -> g[0]
      | ^^^^^^^^^^^^^^^^^^^ expected different GPUs on both sides
    error[forbids-nothing]: the GPUs of each pair lie in different nodes
     --> m.topo:6:1
      |
    6 | forbid g[0] -> g[1]
      | ^^^^^^^^^^^^^^^^^^^ between nodes there is no peer access to forbid
    2 errors
    "#);
    insta::assert_snapshot!(in_machine("limit push in switch : 0\nbounce at source chunks 0"), @r#"
    error[zero-limit]: a limit of no transfers at all
     --> m.topo:5:1
      |
    5 | limit push in switch : 0
      | ^^^^^^^^^^^^^^^^^^^^^^^^ expected 1 or more
      |
      = help: to rule out peer access, write `peer none` or `forbid`
    error[bad-chunks]: a transfer cannot go in 0 chunks
     --> m.topo:6:1
      |
    6 | bounce at source chunks 0
      | ^^^^^^^^^^^^^^^^^^^^^^^^^ expected 1 to 65536
    2 errors
    "#);
    insta::assert_snapshot!(
        in_machine("link x16 = pcie gen4 x16\nefficiency x61 : 2 90%\nefficiency x16 : 0 90%\nefficiency x16 : 2 90%, 2 80%\nefficiency x16 push : 2 101%\nefficiency x16 : 3 0%"),
        @r#"
        error[unknown-name]: there is no link `x61`
         --> m.topo:6:12
          |
        6 | efficiency x61 : 2 90%
          |            ^^^ not declared here
          |
          = help: did you mean `x16`?
        error[bad-efficiency]: a step of no flows
         --> m.topo:7:1
          |
        7 | efficiency x16 : 0 90%
          | ^^^^^^^^^^^^^^^^^^^^^^ expected 1 or more flows
        error[bad-efficiency]: the step of 2 flows stands behind that of 2
         --> m.topo:8:1
          |
        8 | efficiency x16 : 2 90%, 2 80%
          | ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ expected the numbers of flows to ascend
        error[bad-efficiency]: a link does not keep 101% of its rate
         --> m.topo:9:1
          |
        9 | efficiency x16 push : 2 101%
          | ^^^^^^^^^^^^^^^^^^^^^^^^^^^^ expected 1% to 100%
        error[bad-efficiency]: a link does not keep 0% of its rate
          --> m.topo:10:1
           |
        10 | efficiency x16 : 3 0%
           | ^^^^^^^^^^^^^^^^^^^^^ expected 1% to 100%
        5 errors
        "#
    );
}

#[test]
fn wrong_totals() {
    insta::assert_snapshot!(in_machine("total s[0] -- s[1] : 64 GB/s\ntotal s[0] : 64 GB/s"), @r#"
    error[no-link]: no link from `s[0]` to `s[1]`
     --> m.topo:5:7
      |
    5 | total s[0] -- s[1] : 64 GB/s
      |       ^^^^ `total` bounds links that exist
      |
      = help: for all that a device takes in, write `total s[1] : …`
    error[no-link]: no link leads into `s[0]`
     --> m.topo:6:7
      |
    6 | total s[0] : 64 GB/s
      |       ^^^^ a device alone stands for all that it takes in
    2 errors
    "#);
    insta::assert_snapshot!(
        errors("topology \"m\"\nsocket s[2]\ns[0] -> s[1] : 3 GB/s\ntotal s[0] -- s[1] : 3 GB/s\ntotal s[1], s[0] -> s[1] : 3 GB/s\ntotal s[k/2] : 3 GB/s\ntotal s[*] -- s[*] : 3 GB/s\ntotal s : 3 GB/s"),
        @r#"
        error[no-link]: no link from `s[1]` to `s[0]`
         --> m.topo:4:7
          |
        4 | total s[0] -- s[1] : 3 GB/s
          |       ^^^^ `total` bounds links that exist
          |
          = help: the other direction exists: `s[0] -> s[1]`
        error[counted-twice]: `s[0] -> s[1]` counts twice in the total
         --> m.topo:5:13
          |
        5 | total s[1], s[0] -> s[1] : 3 GB/s
          |             ^^^^ counted again here
        error[index-never-bare]: nothing says how far `k` runs
         --> m.topo:6:9
          |
        6 | total s[k/2] : 3 GB/s
          |         ^^^ expected it without a division on one side
        error[ranges-on-both-sides]: several elements on both sides of a join
         --> m.topo:7:15
          |
        7 | total s[*] -- s[*] : 3 GB/s
          |               ^^^^ expected a single device on one side
          |
          = help: to join them one by one, write `s[k] -- s[k]`
        error[missing-index]: `s` is an array of 2
         --> m.topo:8:7
          |
        8 | total s : 3 GB/s
          |       ^ expected an index
          |
          = help: write `s[0]` for one, `s[*]` for all
        5 errors
        "#
    );
    insta::assert_snapshot!(in_machine("total s[0] : 3\ntotal s[0]\ntotal : 3 GB/s\ntotal s[0] - s[1] : 3 GB/s\ngpu total"), @r#"
    error[missing-unit]: `3` lacks its unit
     --> m.topo:5:15
      |
    5 | total s[0] : 3
      |               ^ expected GB/s, GiB/s, MB/s or Gb/s
      |
      = help: write `3 GB/s`
    error[syntax]: unexpected end of line
     --> m.topo:6:11
      |
    6 | total s[0]
      |           ^ expected `--`, `->` or `:`
      |
      = help: write `total s[0] : unknown`, or its rate at the end
    error[syntax]: unexpected `:`
     --> m.topo:7:7
      |
    7 | total : 3 GB/s
      |       ^ expected a name
    error[syntax]: unexpected `-`
     --> m.topo:8:12
      |
    8 | total s[0] - s[1] : 3 GB/s
      |            ^ expected `--`, `->` or `:`
      |
      = help: write `total s[0] -- s[1] : 3 GB/s`
    error[reserved-word]: `total` is a word of the language and no name
     --> m.topo:9:5
      |
    9 | gpu total
      |     ^^^^^ expected a name
      |
      = help: another name would do: `total_`, `my_total`
    5 errors
    "#);
}

#[test]
fn bus_ids() {
    insta::assert_snapshot!(in_machine("set g[0] { bus \"17:00.0\" }"), @r#"
    error[bad-bus]: `17:00.0` is no PCI bus id
     --> m.topo:5:12
      |
    5 | set g[0] { bus "17:00.0" }
      |            ^^^^^^^^^^^^^ expected domain, bus, device and function, such as "0000:17:00.0"
    "#);
    insta::assert_snapshot!(
        errors("topology \"m\"\nsocket s\ngpu g { bus \"0000:17:00.0\" }\ngpu h { bus \"00000000:17:00.0\" }\nnic n[2] { bus [\"0000:18:00.0\", \"0000:18:00.0\"] }\n g -- s : unknown; h -- s : unknown; n[*] -- s : unknown\n"),
        @r#"
        error[duplicate-bus]: `g` and `h` of one node have the bus id 0000:17:00.0
         --> m.topo:4:5
          |
        4 | gpu h { bus "00000000:17:00.0" }
          |     ^ declared here
        "#
    );
    let host =
        "part host { gpu g { bus \"0000:17:00.0\" }; socket s; g -- s : unknown }\nhost h[2]\n";
    assert_eq!(machine(&format!("topology \"m\"\n{host}")).devices.len(), 4);
}

#[test]
fn a_walking_index_gives_each_gpu_its_cards() {
    let text = |rule: &str| {
        format!(
            "topology \"m\"\npart host {{\n  socket s\n  gpu g[4] -- s : 26 GB/s\n  nic n[2] -- s : 26 GB/s\n  \
             {rule}\n}}\nhost h[2]\nfabric f\nh[*].n[*] -- f : 200 Gb/s\n"
        )
    };
    let found = machine(&text("via g[k] : n[k/2]"));
    let path = |device: &usize| found.devices[*device].path.as_str();
    let rules: Vec<String> = (found.rules.iter())
        .filter_map(|placed| match &placed.rule {
            Rule::Via { gpus, nics } => Some((gpus, nics)),
            _ => None,
        })
        .map(|(gpus, nics)| {
            let names = |all: &[usize]| all.iter().map(path).collect::<Vec<_>>().join(" ");
            format!("{}: {}", names(gpus), names(nics))
        })
        .collect();
    let wanted = |host: &str| [0, 1, 2, 3].map(|k| format!("{host}.g[{k}]: {host}.n[{}]", k / 2));
    assert_eq!(rules, [wanted("h[0]"), wanted("h[1]")].concat());
    // Both sides walk, and within the arrays.
    for (rule, code) in [
        ("via g[k] : n[0]", "index-used-once"),
        ("via g[k/2] : n[k/2]", "index-never-bare"),
        ("via g[k] : n[k]", "out-of-bounds"),
    ] {
        let said = errors(&text(rule));
        assert!(said.starts_with(&format!("error[{code}]: ")), "{rule}: {said}");
    }
}
