//! From the text of a topology file to a checked graph, stage by stage.

use criterion::{Criterion, criterion_group, criterion_main};
use std::collections::BTreeMap;
use std::hint::black_box;
use std::time::Duration;
use variopath::diagnostics::Sources;
use variopath::{dsl, topology};

fn language(criterion: &mut Criterion) {
    for (title, name, nodes) in [
        ("l20-8", "l20-8", None),
        ("4 nodes", "l20-cluster", Some(4)),
        ("32 nodes", "l20-cluster", Some(32)),
    ] {
        let preset = dsl::preset(name).expect("a preset");
        let settings: BTreeMap<String, u64> =
            nodes.map(|nodes| ("nodes".to_owned(), nodes)).into_iter().collect();
        let mut sources = Sources::new();
        let source = sources.add(format!("preset {name}"), preset.text);
        let tree = dsl::parse(&sources, source).expect("it reads");
        let resolved = dsl::resolve(tree.clone(), &mut sources, source, &settings);
        let resolved = resolved.expect("its `use` is there");
        let machine = dsl::elaborate(&resolved).expect("a machine");
        let digest = dsl::digest(&resolved);

        let mut group = criterion.benchmark_group(format!("language/{title}"));
        group.warm_up_time(Duration::from_millis(500)).measurement_time(Duration::from_secs(2));
        group.bench_function("parse", |bencher| {
            bencher.iter(|| dsl::parse(black_box(&sources), source).expect("it reads"));
        });
        group.bench_function("resolve", |bencher| {
            bencher.iter(|| {
                // The texts of what is used are kept, so they are forgotten here.
                let mut sources = Sources::new();
                let id = sources.add(format!("preset {name}"), "");
                dsl::resolve(tree.clone(), &mut sources, id, &settings).expect("it is there")
            });
        });
        group.bench_function("elaborate", |bencher| {
            bencher.iter(|| dsl::elaborate(black_box(&resolved)).expect("a machine"));
        });
        group.sample_size(10);
        group.bench_function("build", |bencher| {
            bencher.iter(|| topology::build(black_box(&machine), digest.clone()).expect("a graph"));
        });
        group.finish();
    }
}

criterion_group!(benches, language);
criterion_main!(benches);
