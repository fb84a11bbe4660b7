//! The examples of `docs/language.md` are whole machines with routes between their ranks.

mod language_support;

use language_support::machine;
use variopath::base::Digest;
use variopath::topology;

#[test]
fn every_example_is_a_machine_with_routes() {
    let guide = std::fs::read_to_string("docs/language.md").expect("the guide");
    let blocks = guide.split("```topo\n").skip(1).map(|rest| rest.split("```").next().unwrap());
    let mut found = Vec::new();
    for text in blocks {
        let machine = machine(text);
        let built = topology::build(&machine, Digest::of(text.as_bytes()));
        let built = built.unwrap_or_else(|errors| panic!("{text}\n{errors:?}"));
        found.push((machine.name, built.topology.nodes, built.topology.ranks.len()));
    }
    let expected = [
        ("first", 1, 2),
        ("box", 1, 8),
        ("my-l20", 1, 7),
        ("ruled", 1, 8),
        ("genoa", 1, 8),
        ("cluster", 4, 32),
        ("unequal", 4, 30),
        ("rails", 8, 64),
        ("own-cards", 2, 8),
        ("detour", 1, 4),
        ("losses", 1, 8),
        ("hazards", 2, 8),
        ("some", 1, 5),
        ("around", 2, 16),
    ];
    let expected = expected.map(|(name, nodes, ranks)| (name.to_owned(), nodes, ranks));
    assert_eq!(found, expected);
}
