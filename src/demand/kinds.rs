//! The kinds of generated demands with their keys and defaults.

/// A kind of demand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Kind {
    /// Its name in a specification.
    pub name: &'static str,
    /// What it makes, in one line.
    pub summary: &'static str,
    /// Its keys; the value behind the colon belongs to the first.
    pub keys: &'static [Key],
}

/// A key of a kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Key {
    /// Its name.
    pub name: &'static str,
    /// The value when it is not given.
    pub default: &'static str,
    /// What it means, with its unit.
    pub meaning: &'static str,
}

const fn key(name: &'static str, default: &'static str, meaning: &'static str) -> Key {
    Key { name, default, meaning }
}

const SEED: Key = key("seed", "1", "chooses the random numbers");

const KINDS: &[Kind] = &[
    Kind {
        name: "uniform",
        summary: "every pair the same",
        keys: &[key("size", "1MiB", "bytes of each pair")],
    },
    Kind {
        name: "zipf",
        summary: "tokens of a mixture of experts, whose popularity follows a Zipf law",
        keys: &[
            key(
                "exponent",
                "0.8",
                "skew: the k-th most popular expert weighs k^-exponent, 0 to 10",
            ),
            key("tokens", "512", "tokens of each rank"),
            key("topk", "8", "different experts that each token goes to"),
            key("experts", "256", "experts, spread over the ranks in blocks"),
            key("hidden", "7168", "elements of a token"),
            key("dtype", "bf16", "element type: fp8, bf16, fp16 or fp32"),
            SEED,
        ],
    },
    Kind {
        name: "permutation",
        summary: "every rank sends to one other and receives from one",
        keys: &[key("size", "16MiB", "bytes of each such pair"), SEED],
    },
    Kind {
        name: "hot-receiver",
        summary: "random sizes, one rank receives a multiple",
        keys: &[
            key("rank", "3", "the rank that receives more; the last one where there are fewer"),
            key("factor", "8", "how many times more"),
            key("min", "0.3MiB", "least bytes of a pair, before the factor"),
            key("max", "1.3MiB", "most bytes of a pair, before the factor"),
            SEED,
        ],
    },
    Kind {
        name: "sparse",
        summary: "few pairs, of random sizes",
        keys: &[
            key("probability", "0.1", "that a pair has bytes, 0 to 1"),
            key("min", "1MiB", "least bytes of such a pair"),
            key("max", "16MiB", "most bytes of such a pair"),
            SEED,
        ],
    },
    Kind {
        name: "silent",
        summary: "every pair the same, but one rank neither sends nor receives",
        keys: &[key("rank", "1", "the silent rank"), key("size", "1MiB", "bytes of each pair")],
    },
    Kind {
        name: "block",
        summary: "random sizes, large within a node; on one node every pair is within",
        keys: &[
            key("min", "4MiB", "least bytes of a pair within a node"),
            key("max", "12MiB", "most bytes of a pair within a node"),
            SEED,
        ],
    },
    Kind {
        name: "log-uniform",
        summary: "random sizes, every order of magnitude as likely",
        keys: &[
            key("min", "4KiB", "least bytes of a pair, at least 1"),
            key("max", "64MiB", "most bytes of a pair"),
            SEED,
        ],
    },
    Kind {
        name: "random",
        summary: "random sizes, all as likely",
        keys: &[
            key("min", "0.5MiB", "least bytes of a pair"),
            key("max", "1.5MiB", "most bytes of a pair"),
            SEED,
        ],
    },
    Kind { name: "zero", summary: "no bytes at all", keys: &[] },
];

/// All kinds, in the order in which they are listed.
#[must_use]
pub fn kinds() -> &'static [Kind] {
    KINDS
}

/// The specifications of the eleven workloads of the evaluation; `seed` goes to those that draw
/// random numbers.
#[must_use]
pub fn eleven(seed: u64) -> Vec<String> {
    [
        ("uniform:1MiB", false),
        ("zipf:0.5", true),
        ("zipf:0.8", true),
        ("zipf:1.2", true),
        ("permutation:16MiB", true),
        ("hot-receiver", true),
        ("sparse:0.1", true),
        ("silent", false),
        ("block", true),
        ("log-uniform", true),
        ("random", true),
    ]
    .iter()
    .map(|&(spec, seeded)| match (seeded, spec.contains(':')) {
        (false, _) => spec.to_owned(),
        (true, true) => format!("{spec},seed={seed}"),
        (true, false) => format!("{spec}:seed={seed}"),
    })
    .collect()
}
