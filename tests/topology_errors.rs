//! What is said about machines that no exchange can be planned on, with the place in their text.

mod support;

use support::machine_of;
use variopath::analyzer;
use variopath::base::Digest;
use variopath::diagnostics::{Sources, render};
use variopath::dsl::Machine;
use variopath::{dsl, topology};

fn machine(text: &str) -> Machine {
    machine_of(&mut Sources::new(), "box.topo", text).1
}

/// The rendered refusal of a topology file that reads well but is no sound machine, or none that
/// this version plans with.
fn refusal(text: &str) -> String {
    let mut sources = Sources::new();
    let (file, machine) = machine_of(&mut sources, "box.topo", text);
    let faults = match topology::build(&machine, dsl::digest(&file)) {
        Err(faults) => faults,
        Ok(built) => {
            let refused = analyzer::unplanned(&built.topology);
            assert!(!refused.is_empty(), "it is not planned with");
            refused
        }
    };
    format!("exit {:?}\n{}", faults.exit(), render(&sources, &faults, false))
}

#[test]
fn route_tie() {
    let text = "topology \"ring\"
socket s[4]
gpu g[4]
s[0] -- s[1] : 20 GB/s
s[1] -- s[2] : 20 GB/s
s[2] -- s[3] : 20 GB/s
s[3] -- s[0] : 20 GB/s
g[k] -- s[k] : pcie gen4 x16
";
    insta::assert_snapshot!(refusal(text), @r#"
    exit Some(Input)
    error[route-tie]: two routes with the fewest links: g[0] -> s[0] -> s[1] -> s[2] -> g[2] and g[0] -> s[0] -> s[3] -> s[2] -> g[2]
     --> box.topo:4:1
      |
    4 | s[0] -- s[1] : 20 GB/s
      | ^^^^^^^^^^^^^^^^^^^^^^ on one of them only
    5 | s[1] -- s[2] : 20 GB/s
      | ---------------------- on one of them only
    6 | s[2] -- s[3] : 20 GB/s
      | ---------------------- on one of them only
    7 | s[3] -- s[0] : 20 GB/s
      | ---------------------- on one of them only
      |
      = help: 1 more pair is undecided at the same place
      = help: leave out the link that transfers do not take
    error[route-tie]: two routes with the fewest links: g[1] -> s[1] -> s[2] -> s[3] -> g[3] and g[1] -> s[1] -> s[0] -> s[3] -> g[3]
     --> box.topo:5:1
      |
    4 | s[0] -- s[1] : 20 GB/s
      | ---------------------- on one of them only
    5 | s[1] -- s[2] : 20 GB/s
      | ^^^^^^^^^^^^^^^^^^^^^^ on one of them only
    6 | s[2] -- s[3] : 20 GB/s
      | ---------------------- on one of them only
    7 | s[3] -- s[0] : 20 GB/s
      | ---------------------- on one of them only
      |
      = help: 1 more pair is undecided at the same place
      = help: leave out the link that transfers do not take
    2 errors
    "#);
}

#[test]
fn unknown_rates() {
    let text = "topology \"asks\"
link x16 = unknown
socket s[2]
gpu g[4]
s[0] -- s[1]   : unknown
g[k] -- s[k/2] : x16
";
    insta::assert_snapshot!(refusal(text), @r#"
    exit Some(Input)
    error[unknown-rate]: routes need a rate that is unknown: what does the link `s[0] -- s[1]` carry?
     --> box.topo:5:1
      |
    5 | s[0] -- s[1]   : unknown
      | ^^^^^^^^^^^^^^^^^^^^^^^^ unknown
      |
      = help: write it in place of `unknown`, such as `39 GB/s from "where it is measured"`
      = help: or add a line, such as `set s[0] -- s[1] : 39 GB/s from "where it is measured"`
    error[unknown-rate]: routes need a rate that is unknown: what do the 4 links from `g[0] -- s[0]` on carry each?
     --> box.topo:6:1
      |
    2 | link x16 = unknown
      |            ------- here stands its rate
    ...
    6 | g[k] -- s[k/2] : x16
      | ^^^^^^^^^^^^^^^^^^^^ unknown
      |
      = help: write it in place of `unknown`, such as `pcie gen4 x16`
      = help: or, where they differ, a line for each, such as `set g[0] -- s[0] : pcie gen4 x16`
    2 errors
    "#);
}

#[test]
fn a_preset_is_drawn() {
    let machine = machine("topology \"mine\"\nuse \"l20-8\"\nwithout g[5]\n");
    insta::assert_snapshot!(topology::survey(&machine).draw(), @r#"
    machine     mine: 2 sockets, 4 switches, 7 GPUs, 4 NICs
    gpus        7 x NVIDIA L20, sm_89
    tree        s[0]
                  sw[0]  26.3 GB/s
                    g[0]  26.3 GB/s  (rank 0, sm_89, NVIDIA L20)
                    g[1]  26.3 GB/s  (rank 1, sm_89, NVIDIA L20)
                    n[0]  26.3 GB/s
                  sw[1]  26.3 GB/s
                    g[2]  26.3 GB/s  (rank 2, sm_89, NVIDIA L20)
                    g[3]  26.3 GB/s  (rank 3, sm_89, NVIDIA L20)
                    n[1]  26.3 GB/s
                s[1]
                  sw[2]  26.3 GB/s
                    g[4]  26.3 GB/s  (rank 4, sm_89, NVIDIA L20)
                    n[2]  26.3 GB/s
                  sw[3]  26.3 GB/s
                    g[6]  26.3 GB/s  (rank 5, sm_89, NVIDIA L20)
                    g[7]  26.3 GB/s  (rank 6, sm_89, NVIDIA L20)
                    n[3]  26.3 GB/s
    links       s[0] -- s[1]: 39 GB/s assumed
    shared      sw[0] -- s[0] by g[0], g[1]: 26.3 GB/s, 13.15 GB/s a GPU
                sw[1] -- s[0] by g[2], g[3]: 26.3 GB/s, 13.15 GB/s a GPU
                sw[3] -- s[1] by g[6], g[7]: 26.3 GB/s, 13.15 GB/s a GPU
                s[0] -- s[1] by up to 4 GPUs each way: 39 GB/s, 9.75 GB/s a GPU
    assumed     s[0] -- s[1]: 39 GB/s (as an L40S box, flashinfer pull request 4870)
    defaults    peer access between all GPUs of the node, push and pull
                NICs read and write GPU memory within the node (GPUDirect)
                GPUs use the nearest NICs, all that are equally near (via nearest)
                no loopback over NICs
                routes take the fewest links; GPUs and NICs never forward
                latency 0 where none is given
                socket memory unlimited where none is given
                no profile: links lose nothing when transfers share them
                ranks in order of declaration
    limit       1 MiB from each GPU to each other takes at least 398.698 us: sw[0] -> s[0] carries 10 of 42 pairs
                so each GPU sends at most 15.78 GB/s on average
                it rests on 1 assumed value
    "#);
}

/// The lines that the help of the questions proposes are answers.
#[test]
fn proposed_lines_answer_the_questions() {
    let text = "topology \"asks\"
socket s[2]
gpu g[2]
s[0] -- s[1] : unknown
g[0] -- s[0] : unknown
g[1] -- s[1] : unknown
";
    let asked = refusal(text);
    let lines: Vec<String> = asked
        .lines()
        .filter_map(|line| line.split_once("such as `set ")?.1.split_once('`'))
        .map(|(line, _)| format!("set {line}"))
        .collect();
    assert_eq!(lines.len(), 3, "{asked}");
    let machine = machine(&format!("{text}{}\n", lines.join("\n")));
    assert!(topology::build(&machine, Digest::of(b"")).is_ok());
}

#[test]
fn rules_that_nothing_plans_with_yet() {
    let text = "topology \"more\"
socket s
gpu g[3]
link x16 = pcie gen4 x16
g[*] -- s : x16
efficiency x16 : 2 90%
cost step : 3 us
pacing socket
";
    insta::assert_snapshot!(refusal(text), @r#"
    exit Some(Failed)
    error[unsupported-rule]: the rule `efficiency` is not carried out by this version
     --> box.topo:6:1
      |
    6 | efficiency x16 : 2 90%
      | ^^^^^^^^^^^^^^^^^^^^^^ not supported yet
      |
      = help: `--setting ideal` plans as if links lost nothing and nothing cost any time
    error[unsupported-rule]: the rule `cost` is not carried out by this version
     --> box.topo:7:1
      |
    7 | cost step : 3 us
      | ^^^^^^^^^^^^^^^^ not supported yet
      |
      = help: `--setting ideal` plans as if links lost nothing and nothing cost any time
    error[unsupported-rule]: the rule `pacing` is not carried out by this version
     --> box.topo:8:1
      |
    8 | pacing socket
      | ^^^^^^^^^^^^^ not supported yet
      |
      = help: leave the rule out to plan as if it did not hold
    3 errors
    "#);
}

#[test]
fn several_nodes() {
    let text = "topology \"cluster\"
use \"l20-8\" as l20
l20 h[2]
fabric leaf
h[*].n[*] -- leaf : 200 Gb/s
";
    insta::assert_snapshot!(refusal(text), @r#"
    exit Some(Failed)
    error[several-nodes]: exchanges between several nodes are not planned by this version: there are 2, h[0].g[0] is in one and h[1].g[0] in another
      --> preset l20-8:11:5
       |
    11 | gpu g[8] { arch sm_89, model "NVIDIA L20" }
       |     ^
       |
       = help: describe one node alone: what hangs together without fabrics and links between NICs
    "#);
}

#[test]
fn a_gpu_without_link_and_an_absurd_capacity() {
    let text = "topology \"loose\"
socket s
gpu g[3]
g[0] -- s : 0.1 MB/s
g[1] -- s : 25 GB/s
";
    insta::assert_snapshot!(refusal(text), @r#"
    exit Some(Input)
    error[no-link]: g[2] has no link
     --> box.topo:3:5
      |
    3 | gpu g[3]
      |     ^ not linked to anything
      |
      = help: join it to what it hangs on, as in `g[2] -- s : pcie gen4 x16`, or leave it out with `without g[2]`
      = help: the end of a range is not part of it: `[0..3]` takes in g[2]
    error[absurd-capacity]: the link g[0] -- s has capacity 0.0001 GB/s, outside of 0.001 GB/s to 10000 GB/s
     --> box.topo:4:1
      |
    4 | g[0] -- s : 0.1 MB/s
      | ^^^^^^^^^^^^^^^^^^^^
      |
      = help: check the unit: GB/s counts bytes, Gb/s bits
    2 errors
    "#);
}

#[test]
fn pairs_that_nothing_carries_name_the_rules_in_conflict() {
    let text = "topology \"switch alone\"
switch w
gpu g[3] -- w : 25 GB/s
forbid push g[0] -> g[1]
forbid pull g[*] -> g[*]
";
    insta::assert_snapshot!(refusal(text), @r#"
    exit Some(Input)
    error[no-bounce-socket]: g[0] -> g[1] goes through host memory, and no one socket is the nearest of g[1]
     --> box.topo:3:5
      |
    3 | gpu g[3] -- w : 25 GB/s
      |     ^ at which socket is its host memory?
    4 | forbid push g[0] -> g[1]
      | ------------------------ no peer access by this rule
    5 | forbid pull g[*] -> g[*]
      | ------------------------ no peer access by this rule
      |
      = help: link it to a socket, or grant the pair peer access in one mode
    "#);
    let none = text.replace("forbid push g[0] -> g[1]", "peer none");
    insta::assert_snapshot!(refusal(&none), @r#"
    exit Some(Input)
    error[no-bounce-socket]: g[0] -> g[1] goes through host memory, and no one socket is the nearest of g[1] (nor of 2 more GPUs)
     --> box.topo:3:5
      |
    3 | gpu g[3] -- w : 25 GB/s
      |     ^ at which socket is its host memory?
    4 | peer none
      | --------- no peer access by this rule
      |
      = help: link it to a socket, or grant the pair peer access in one mode
    "#);
}

#[test]
fn figures_that_fit_no_transfer() {
    let text = "topology \"nothing\"
socket s[2]
gpu g[2]
g[k] -- s[k] : 25 GB/s
s[0] -- s[1] : 40 GB/s
total s[0] -- s[1] : 0.5 MB/s
set s[1] { memory 0.000001 MB/s }
cap cross pull : 0.9 MB/s
";
    insta::assert_snapshot!(refusal(text), @r#"
    exit Some(Input)
    error[absurd-capacity]: the memory of s[1] has capacity 0.000000001 GB/s, outside of 0.001 GB/s to 10000 GB/s
     --> box.topo:2:8
      |
    2 | socket s[2]
      |        ^
      |
      = help: check the unit: GB/s counts bytes, Gb/s bits
    error[absurd-capacity]: the total s[0] -- s[1] has capacity 0.0005 GB/s, outside of 0.001 GB/s to 10000 GB/s
     --> box.topo:6:1
      |
    6 | total s[0] -- s[1] : 0.5 MB/s
      | ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
      |
      = help: check the unit: GB/s counts bytes, Gb/s bits
    error[absurd-capacity]: the cap of class cross is 0.0009 GB/s, outside of 0.001 GB/s to 10000 GB/s
     --> box.topo:8:1
      |
    8 | cap cross pull : 0.9 MB/s
      | ^^^^^^^^^^^^^^^^^^^^^^^^^
      |
      = help: check the unit: GB/s counts bytes, Gb/s bits
    3 errors
    "#);
}
