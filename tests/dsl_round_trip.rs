//! Parse, print, parse gives an equal tree with its comments.

use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use std::collections::BTreeMap;
use variopath::base::{Initiator, Mode, RouteClass};
use variopath::diagnostics::{Sources, render};
use variopath::dsl;
use variopath::dsl::tree::*;

fn parse(text: &str) -> File {
    let mut sources = Sources::new();
    let id = sources.add("m.topo", text);
    dsl::parse(&sources, id).unwrap_or_else(|e| panic!("{}\n{text}", render(&sources, &e, false)))
}

fn bare<T: std::fmt::Debug>(of: impl Strategy<Value = T>) -> impl Strategy<Value = Spanned<T>> {
    of.prop_map(Spanned::bare)
}

fn name() -> impl Strategy<Value = String> {
    "[a-z_][a-z0-9_]{0,4}".prop_filter("reserved", |word| dsl::is_name(word))
}

fn text() -> impl Strategy<Value = String> {
    "[ -~\\n\\té]{0,8}"
}

fn comment() -> impl Strategy<Value = String> {
    "[a-z{};\"]{1,6}( [a-z#]{1,4})?"
}

fn decimal() -> impl Strategy<Value = Decimal> {
    (0_u64..1_000_000_000, 0_u32..5).prop_map(|(digits, places)| Decimal { digits, places })
}

fn latency() -> impl Strategy<Value = Latency> {
    (decimal(), any::<bool>()).prop_map(|(number, microseconds)| Latency { number, microseconds })
}

fn origin() -> impl Strategy<Value = Origin> {
    prop_oneof![option::of(text()).prop_map(Origin::Assumed), text().prop_map(Origin::From)]
}

fn rate() -> impl Strategy<Value = Rate> {
    let unit = prop_oneof![
        Just(RateUnit::GigabytesPerSecond),
        Just(RateUnit::GibibytesPerSecond),
        Just(RateUnit::MegabytesPerSecond),
        Just(RateUnit::GigabitsPerSecond),
    ];
    prop_oneof![
        (decimal(), unit).prop_map(|(number, unit)| Rate::Number(number, unit)),
        (1_u32..8, prop_oneof![Just(1_u32), Just(8), Just(16)])
            .prop_map(|(generation, width)| Rate::Pcie { generation, width }),
        name().prop_map(Rate::Named),
        Just(Rate::Unknown),
    ]
}

fn value() -> impl Strategy<Value = Value> {
    (bare(rate()), option::of(latency()), option::of(origin()))
        .prop_map(|(rate, latency, origin)| Value { rate, latency, origin })
}

fn atom() -> impl Strategy<Value = Atom> {
    prop_oneof![(0_u64..100).prop_map(Atom::Integer), name().prop_map(Atom::Name)]
}

fn path() -> impl Strategy<Value = Path> {
    let item = prop_oneof![
        atom().prop_map(Item::One),
        (atom(), atom()).prop_map(|(from, to)| Item::Range(from, to)),
        (atom(), 1_u64..9).prop_map(|(one, divisor)| Item::Quotient(one, divisor)),
    ];
    let index = prop_oneof![Just(Index::All), vec(bare(item), 1..3).prop_map(Index::Items)];
    let step = (bare(name()), option::of(bare(index)));
    vec(step.prop_map(|(name, index)| Step { name, index }), 1..3)
        .prop_map(|steps| Path { steps, span: None })
}

fn tail() -> impl Strategy<Value = JoinTail> {
    (any::<bool>(), path(), value()).prop_map(|(duplex, right, value)| JoinTail {
        duplex,
        right,
        value,
    })
}

fn traffic() -> impl Strategy<Value = Traffic> {
    (path(), option::of((any::<bool>(), path()))).prop_map(|(path, to)| Traffic { path, to })
}

fn attributes(least: usize) -> impl Strategy<Value = Vec<Spanned<Attribute>>> {
    let one = prop_oneof![
        name().prop_map(Attribute::Arch),
        text().prop_map(Attribute::Model),
        (rate(), option::of(origin())).prop_map(|(rate, origin)| Attribute::Memory(rate, origin)),
        vec(text(), 1..3).prop_map(Attribute::Bus),
    ];
    vec(bare(one), least..3)
}

fn mode() -> impl Strategy<Value = Option<Mode>> {
    prop_oneof![Just(None), Just(Some(Mode::Push)), Just(Some(Mode::Pull))]
}

fn place() -> impl Strategy<Value = Place> {
    prop_oneof![
        Just(Place::Gpu),
        Just(Place::Switch),
        Just(Place::Uplink),
        Just(Place::Socket),
        Just(Place::Node),
    ]
}

fn side() -> impl Strategy<Value = (Relation, Place)> {
    (prop_oneof![Just(Relation::Same), Just(Relation::Different)], place())
}

fn rule() -> impl Strategy<Value = Rule> {
    let class = || proptest::sample::select(RouteClass::ALL);
    prop_oneof![
        (any::<bool>(), option::of(place())).prop_map(|(nic, within)| Rule::Peer { nic, within }),
        (mode(), path(), any::<bool>(), path()).prop_map(|(mode, from, duplex, to)| Rule::Forbid {
            mode,
            from,
            duplex,
            to
        }),
        Just(Rule::ViaNearest),
        Just(Rule::ViaAny),
        (path(), vec(path(), 1..3)).prop_map(|(of, through)| Rule::Via { of, through }),
        Just(Rule::Loopback),
        (class(), mode(), option::of(proptest::sample::select(Initiator::ALL)), value())
            .prop_map(|(class, mode, by, value)| Rule::Cap { class, mode, by, value }),
        (class(), mode()).prop_map(|(class, mode)| Rule::Pacing { class, mode }),
        (any::<bool>(), option::of(0_u64..99))
            .prop_map(|(at_source, chunks)| Rule::Bounce { at_source, chunks }),
        (mode(), place(), 0_u64..99).prop_map(|(mode, place, count)| Rule::Limit {
            mode,
            place,
            count
        }),
        (mode(), side(), side(), option::of(value()))
            .prop_map(|(mode, from, to, value)| Rule::Avoid { mode, from, to, value }),
        (bare(name()), mode(), vec((0_u64..9, 0_u64..101), 1..3))
            .prop_map(|(link, mode, steps)| Rule::Efficiency { link, mode, steps }),
        (any::<bool>(), latency(), option::of(origin()))
            .prop_map(|(flow, time, origin)| Rule::Cost { flow, time, origin }),
        (mode(), bare(text())).prop_map(|(mode, file)| Rule::Measured { mode, file }),
    ]
}

fn simple() -> impl Strategy<Value = StatementKind> {
    let kind = prop_oneof![Just("gpu".to_owned()), Just("fabric".to_owned()), name()];
    let change = prop_oneof![
        attributes(1).prop_map(SetChange::Attributes),
        value().prop_map(SetChange::OnlyLink),
        tail().prop_map(SetChange::Join),
    ];
    prop_oneof![
        (bare(text()), option::of(bare(name())))
            .prop_map(|(target, alias)| StatementKind::Use { target, alias }),
        (bare(name()), bare(0_u64..999))
            .prop_map(|(name, value)| StatementKind::Param { name, value }),
        (bare(name()), value()).prop_map(|(name, value)| StatementKind::Link { name, value }),
        (bare(kind), bare(name()), option::of(bare(atom())), attributes(0), option::of(tail()))
            .prop_map(|(kind, name, count, attributes, join)| {
                let join = join.map(Box::new);
                StatementKind::Device { kind, name, count, attributes, join }
            }),
        (path(), tail()).prop_map(|(left, tail)| StatementKind::Join { left, tail }),
        (path(), change).prop_map(|(path, change)| StatementKind::Set { path, change }),
        vec(path(), 1..3).prop_map(StatementKind::Without),
        vec(bare(name()), 1..3).prop_map(|names| StatementKind::Ranks(Ranks::By(names))),
        vec(path(), 1..3).prop_map(|paths| StatementKind::Ranks(Ranks::List(paths))),
        (vec(traffic(), 1..3), value()).prop_map(|(of, value)| StatementKind::Total { of, value }),
        bare(rule()).prop_map(StatementKind::Rule),
    ]
}

fn statement(kind: impl Strategy<Value = StatementKind>) -> impl Strategy<Value = Statement> {
    (any::<bool>(), vec(comment(), 0..2), kind, option::of(comment())).prop_map(
        |(blank_before, leading, kind, trailing)| Statement {
            blank_before,
            leading,
            kind,
            trailing,
            span: None,
        },
    )
}

fn block(kind: impl Strategy<Value = StatementKind> + 'static) -> impl Strategy<Value = Block> {
    (vec(statement(kind), 0..4), vec(comment(), 0..2))
        .prop_map(|(statements, dangling)| Block { statements, dangling })
}

fn kind() -> impl Strategy<Value = StatementKind> {
    simple().boxed().prop_recursive(3, 16, 3, |inner| {
        let part = (bare(name()), block(inner.clone()))
            .prop_map(|(name, body)| StatementKind::Part { name, body });
        prop_oneof![3 => inner, 1 => part]
    })
}

fn file() -> impl Strategy<Value = File> {
    (vec(comment(), 0..2), option::of(comment()), bare(text()), block(kind()))
        .prop_map(|(leading, trailing, name, body)| File { leading, trailing, name, body })
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn generated_trees(file in file()) {
        let text = dsl::format(&file);
        let read = parse(&text);
        prop_assert_eq!(&read, &file, "{}", text);
        // Empty lines are no part of equality, but they survive as well.
        prop_assert_eq!(dsl::format(&read), text);
    }

    #[test]
    fn any_text_ends_in_a_tree_or_in_errors(text in "(topology \"x\"\n)?([a-z]{1,5}|[ -~\n]|gpu g|part p \\{|\\}|[\n;]|--|s\\[|\\]){0,30}") {
        let mut sources = Sources::new();
        let id = sources.add("m.topo", text);
        let result = dsl::parse(&sources, id)
            .and_then(|file| dsl::resolve(file, &mut sources, id, &BTreeMap::new()))
            .and_then(|file| dsl::elaborate(&file));
        if let Err(errors) = result {
            prop_assert!(errors.has_errors());
            prop_assert!(!render(&sources, &errors, false).is_empty());
        }
    }
}

#[test]
fn presets_and_test_platforms() {
    let mut texts: Vec<String> = dsl::presets().iter().map(|p| p.text.to_owned()).collect();
    for name in ["a", "b", "b1", "b2", "c", "e6", "e10", "e3s"] {
        texts.push(std::fs::read_to_string(format!("tests/platforms/{name}.topo")).unwrap());
    }
    for text in texts {
        let file = parse(&text);
        let printed = dsl::format(&file);
        assert_eq!(parse(&printed), file);
        assert_eq!(printed, text, "the file is not in its canonical form");
    }
}

#[test]
fn comments_stay_where_they_belong() {
    let text = "# a\ntopology \"m\" # b\n\n\n# c\n\n# d\ngpu g; nic n # e\npart p { # f\n# g\ngpu g;; # h\n\n# i\n} # j\n#\n# k\n";
    let expected = "# a\ntopology \"m\"  # b\n\n# c\n# d\ngpu g\nnic n  # e\npart p {\n  # f\n  # g\n  gpu g  # h\n  # i\n}  # j\n#\n# k\n";
    assert_eq!(dsl::format(&parse(text)), expected);
}

#[test]
fn the_digest_ignores_comments_origins_and_layout() {
    let digest = |text: &str| dsl::digest(&parse(text));
    let one = digest("topology \"m\"\nsocket s { memory 80 GB/s }\ngpu g -- s : 25 GB/s\n");
    let same = "# x\ntopology \"m\"; socket s { memory 80 GB/s from \"y\" } # z\n\n\ngpu g -- s : 25 GB/s assumed\n";
    assert_eq!(one, digest(same));
    assert_ne!(one, digest("topology \"m\"\nsocket s\ngpu g -- s : 25 GB/s\n"));
}
