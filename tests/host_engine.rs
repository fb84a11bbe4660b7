//! Exchanges on the CPU with the emitted kernels, every byte checked.

mod exchange_support;

use exchange_support::{all_at_once, catalog, rounds, topology, uneven};
use std::time::Duration;
use variopath::base::Demand;
use variopath::catalog::Plan;
use variopath::runtime::host::{Compiler, Fault, HostError, HostOptions, Report, carry_out};

fn kernels() -> String {
    variopath::codegen::emit(&topology(), &catalog()).expect("emits").kernels
}

/// Runs on the host; `None` (and a line in the list of skipped tests) without a compiler.
fn run(plan: &Plan, demand: &Demand, change: impl Fn(&mut HostOptions)) -> Option<Report> {
    if let Err(error) = Compiler::find() {
        skipped(&format!("SKIPPED host_engine: {error}"));
        return None;
    }
    let mut options = HostOptions { seed: 7, ..HostOptions::default() };
    options.cache = Some(cache());
    change(&mut options);
    Some(carry_out(&kernels(), &catalog(), plan, demand, &options).expect("runs"))
}

fn cache() -> std::path::PathBuf {
    std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("host-cache")
}

fn skipped(line: &str) {
    use std::io::Write;
    eprintln!("{line}");
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("target/skipped.txt");
    let file = std::fs::OpenOptions::new().create(true).append(true).open(path);
    let _ = file.and_then(|mut file| writeln!(file, "{line}"));
}

fn assert_clean(report: &Report, demand: &Demand) {
    assert!(report.passed(), "{report:?}");
    assert_eq!(report.verified, demand.total().0);
}

#[test]
fn rounds_arrive_without_overruns() {
    let demand = uneven(256 << 10);
    let Some(report) = run(&rounds(&demand, true), &demand, |_| {}) else { return };
    assert_clean(&report, &demand);
    // Every piece but those of the first round waits for the one piece of another rank.
    assert_eq!((report.link_waits, report.overruns), (48, 0));
}

#[test]
fn any_grid_and_block_works() {
    let demand = uneven(1000);
    for (blocks, threads) in [(1, 1), (1, 33), (3, 7), (9, 2)] {
        for plan in [rounds(&demand, true), rounds(&demand, false), all_at_once(&demand)] {
            let change = |options: &mut HostOptions| {
                (options.blocks, options.threads) = (blocks, threads);
            };
            let Some(report) = run(&plan, &demand, change) else { return };
            assert_clean(&report, &demand);
        }
    }
}

#[test]
fn link_waits_that_expire_are_counted_and_harmless() {
    let demand = uneven(256 << 10);
    let impatient = |options: &mut HostOptions| options.patience = 0;
    let Some(report) = run(&rounds(&demand, true), &demand, impatient) else { return };
    assert_clean(&report, &demand);
    assert!(report.overruns > 0, "{report:?}");
}

#[test]
fn silent_ranks_empty_rows_and_nothing_at_all() {
    let mut entries = uneven(5000).entries().to_vec();
    for other in 0..8 {
        entries[8 + other] = 0;
        entries[other * 8 + 1] = 0;
        entries[2 * 8 + other] = 0;
    }
    entries[9] = 3;
    let none = vec![0; 64];
    for entries in [entries, none] {
        let demand = Demand::new(8, entries).expect("a square");
        let Some(report) = run(&rounds(&demand, true), &demand, |_| {}) else { return };
        assert_clean(&report, &demand);
    }
}

#[test]
fn missing_pieces_are_found() {
    let demand = uneven(1000);
    let mut plan = rounds(&demand, true);
    let lost = plan.pieces.pop().expect("pieces");
    plan.steps.last_mut().expect("steps").starts.pop();
    let Some(report) = run(&plan, &demand, |_| {}) else { return };
    assert!(!report.passed());
    let words = format!(" bytes from rank {} to rank {} are wrong, ", lost.src, lost.dst);
    assert_eq!(report.faults.len(), 1);
    assert!(report.first_fault.expect("a fault").contains(&words));
}

#[test]
fn a_rank_that_waits_too_long_names_itself_and_its_peer() {
    // 1 ms is over long before 1 MiB a pair have arrived.
    let demand = uneven(1 << 20);
    let hurried = |options: &mut HostOptions| options.budget = Duration::from_millis(1);
    let Some(report) = run(&rounds(&demand, true), &demand, hurried) else { return };
    assert!(!report.passed());
    for (rank, fault) in report.faults.iter().take(8).enumerate() {
        assert!(matches!(fault, Fault::Failed { .. }), "{fault:?}");
        assert!(fault.to_string().starts_with(&format!("rank {rank} ")), "{fault}");
    }
}

#[test]
fn what_cannot_run_is_refused() {
    let demand = uneven(1 << 20);
    let plan = rounds(&demand, true);
    let refuse = |options: HostOptions| {
        carry_out("", &catalog(), &plan, &demand, &options).expect_err("refused").to_string()
    };
    assert_eq!(
        refuse(HostOptions { blocks: 0, ..HostOptions::default() }),
        "blocks must be 1 to 1024, not 0"
    );
    let text = refuse(HostOptions { memory: 1 << 20, ..HostOptions::default() });
    assert!(text.ends_with("more than the limit of 1048576"), "{text}");
    let error = Compiler::first_of(&["no-such-compiler-1", "no-such-compiler-2"]);
    assert_eq!(
        error.expect_err("refused").to_string(),
        "no C++ compiler: tried no-such-compiler-1, no-such-compiler-2; install g++ or clang++, \
         or set CXX"
    );
    if Compiler::find().is_ok() {
        let options = HostOptions { cache: Some(cache()), ..HostOptions::default() };
        let error = carry_out("#error no kernels", &catalog(), &plan, &demand, &options);
        assert!(matches!(error, Err(HostError::Compile { .. })), "{error:?}");
    }
}

#[test]
fn code_is_loaded_from_the_user_s_own_folder_only() {
    use std::os::unix::fs::PermissionsExt;
    let demand = uneven(1000);
    let open = cache().join("open-to-all");
    std::fs::create_dir_all(&open).expect("a folder");
    std::fs::set_permissions(&open, std::fs::Permissions::from_mode(0o777)).expect("changes");
    let options = HostOptions { cache: Some(open.clone()), ..HostOptions::default() };
    if Compiler::find().is_err() {
        return skipped("SKIPPED host_engine: no C++ compiler");
    }
    let error = carry_out(&kernels(), &catalog(), &rounds(&demand, true), &demand, &options);
    assert_eq!(
        error.expect_err("refused").to_string(),
        format!(
            "{}: belongs to another user or is open to all, so no compiled kernels are loaded \
             from it",
            open.display()
        )
    );
}
