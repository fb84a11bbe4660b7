//! The grammar that `dsl/GRAMMAR.md` prints is the one that is read: an interpreter of its notation
//! and the parser agree on statements that are made from it, and on real ones with a token changed.

use rand::seq::IndexedRandom as _;
use rand::{Rng as _, SeedableRng as _};
use rand_chacha::ChaCha8Rng as Random;
use regex::Regex;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;
use variopath::diagnostics::{Sources, render};
use variopath::dsl;

/// A side of a rule of the grammar.
#[derive(Debug, Clone)]
enum Form {
    /// The tokens of a quoted text.
    Text(Vec<String>),
    Name(String),
    All(Vec<Form>),
    Any(Vec<Form>),
    Optional(Box<Form>),
    Repeated(Box<Form>),
}

fn tokens(text: &str) -> Vec<String> {
    static TOKEN: LazyLock<Regex> = LazyLock::new(|| {
        let text = r#""(?:\\.|[^"\\])*"|[A-Za-z_][A-Za-z_0-9]*|\d+(?:\.\d+)?|--|->|\.\.|\n|[^\s]"#;
        Regex::new(text).unwrap()
    });
    TOKEN.find_iter(text).map(|found| found.as_str().to_owned()).collect()
}

/// Reads the notation: `a b`, `a | b`, `[ a ]`, `{ a }`, `( a )`, `"text"`, names.
struct Notation<'a> {
    pieces: &'a [String],
    at: usize,
}

impl Notation<'_> {
    fn next(&self) -> Option<&str> {
        self.pieces.get(self.at).map(String::as_str)
    }

    fn any(&mut self) -> Form {
        let mut choices = vec![self.all()];
        while self.next() == Some("|") {
            self.at += 1;
            choices.push(self.all());
        }
        if choices.len() == 1 { choices.remove(0) } else { Form::Any(choices) }
    }

    fn all(&mut self) -> Form {
        let mut forms = Vec::new();
        while let Some(piece) = self.next() {
            let piece = piece.to_owned();
            let close = match piece.as_str() {
                "|" | "]" | "}" | ")" => break,
                "[" => "]",
                "{" => "}",
                "(" => ")",
                _ => "",
            };
            self.at += 1;
            if close.is_empty() {
                forms.push(match piece.strip_prefix('"') {
                    Some(text) => Form::Text(tokens(text.trim_end_matches('"'))),
                    None => Form::Name(piece),
                });
                continue;
            }
            let inner = self.any();
            assert_eq!(self.next(), Some(close), "brackets of the grammar close");
            self.at += 1;
            forms.push(match close {
                "]" => Form::Optional(Box::new(inner)),
                "}" => Form::Repeated(Box::new(inner)),
                _ => inner,
            });
        }
        Form::All(forms)
    }
}

fn grammar() -> BTreeMap<String, Form> {
    let guide = std::fs::read_to_string("dsl/GRAMMAR.md").unwrap();
    let text = guide.split("## Grammar").nth(1).unwrap().split("```").nth(1).unwrap();
    let mut rules = BTreeMap::new();
    let head = Regex::new(r"(?m)^([a-z]+) +=").unwrap();
    let starts: Vec<_> = head.captures_iter(text).collect();
    for (index, start) in starts.iter().enumerate() {
        let from = start.get(0).unwrap().end();
        let to = starts.get(index + 1).map_or(text.len(), |next| next.get(0).unwrap().start());
        let pieces: Vec<String> =
            tokens(&text[from..to]).into_iter().filter(|piece| piece != "\n").collect();
        let mut notation = Notation { pieces: &pieces, at: 0 };
        let form = notation.any();
        assert_eq!(notation.at, pieces.len(), "{}", &start[1]);
        rules.insert(start[1].to_owned(), form);
    }
    rules
}

/// The names that the text of the guide explains rather than the grammar.
fn is_terminal(name: &str, token: &str) -> bool {
    let number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let behind = |prefix: &str| token.strip_prefix(prefix).and_then(|n| n.parse::<u32>().ok());
    match name {
        "name" => dsl::is_name(token),
        "string" => token.starts_with('"'),
        "integer" => number(token),
        "number" => token.split('.').all(number) && !token.starts_with('.'),
        "gen" => behind("gen").is_some_and(|generation| (1..=7).contains(&generation)),
        "width" => behind("x").is_some_and(|lanes| [1, 2, 4, 8, 12, 16, 32].contains(&lanes)),
        _ => panic!("`{name}` is explained nowhere"),
    }
}

/// Where a form that starts at `from` may end.
fn ends(
    rules: &BTreeMap<String, Form>,
    form: &Form,
    text: &[String],
    from: usize,
) -> BTreeSet<usize> {
    match form {
        Form::Text(all) => {
            let there = text.get(from..from + all.len()) == Some(all);
            there.then_some(from + all.len()).into_iter().collect()
        }
        Form::Name(name) if name == "sep" => {
            let separators = text[from..].iter().take_while(|one| *one == "\n" || *one == ";");
            (1..=separators.count()).map(|length| from + length).collect()
        }
        Form::Name(name) => match rules.get(name) {
            Some(form) => ends(rules, form, text, from),
            None => {
                let fits = text.get(from).is_some_and(|token| is_terminal(name, token));
                fits.then_some(from + 1).into_iter().collect()
            }
        },
        Form::All(forms) => forms.iter().fold(BTreeSet::from([from]), |starts, form| {
            starts.iter().flat_map(|start| ends(rules, form, text, *start)).collect()
        }),
        Form::Any(forms) => forms.iter().flat_map(|form| ends(rules, form, text, from)).collect(),
        Form::Optional(form) => {
            let mut all = ends(rules, form, text, from);
            all.insert(from);
            all
        }
        Form::Repeated(form) => {
            let (mut all, mut next) = (BTreeSet::from([from]), vec![from]);
            while let Some(start) = next.pop() {
                for end in ends(rules, form, text, start) {
                    if all.insert(end) {
                        next.push(end);
                    }
                }
            }
            all
        }
    }
}

fn accepts(rules: &BTreeMap<String, Form>, text: &str) -> bool {
    let text = tokens(text);
    ends(rules, &rules["file"], &text, 0).contains(&text.len())
}

/// Whether the parser reads `text`; what it says where it does not.
fn reads(text: &str) -> Result<(), String> {
    let mut sources = Sources::new();
    let id = sources.add("m.topo", text);
    dsl::parse(&sources, id).map(|_| ()).map_err(|errors| render(&sources, &errors, false))
}

/// A sentence of a form, not too deep.
fn sentence(
    rules: &BTreeMap<String, Form>,
    form: &Form,
    random: &mut Random,
    depth: usize,
) -> String {
    let inner = |form: &Form, random: &mut Random| sentence(rules, form, random, depth + 1);
    match form {
        Form::Text(all) => all.concat() + " ",
        Form::Name(name) if name == "sep" => {
            ["\n", ";", "\n\n"].choose(random).unwrap().to_string()
        }
        Form::Name(name) => match rules.get(name) {
            Some(form) => inner(form, random),
            None => {
                let known: &[&str] = match name.as_str() {
                    "name" => &["g", "sw", "by", "host", "x16", "push", "same", "_a1"],
                    "string" => &["\"\"", "\"l20-8\"", "\"a \\\" b\""],
                    "integer" => &["1", "8", "64"],
                    "number" => &["1", "26.3"],
                    "gen" => &["gen3", "gen5"],
                    "width" => &["x8", "x16"],
                    _ => panic!("`{name}` is explained nowhere"),
                };
                format!("{} ", known.choose(random).unwrap())
            }
        },
        Form::All(forms) => forms.iter().map(|form| inner(form, random)).collect(),
        Form::Any(forms) => inner(forms.choose(random).unwrap(), random),
        Form::Optional(form) if random.random_bool(0.5) && depth < 40 => inner(form, random),
        Form::Repeated(form) if depth < 40 => {
            (0..random.random_range(0..3)).map(|_| inner(form, random)).collect()
        }
        Form::Optional(_) | Form::Repeated(_) => String::new(),
    }
}

#[test]
fn what_the_grammar_makes_is_read() {
    let rules = grammar();
    assert!(rules.len() > 25, "{} rules", rules.len());
    let mut random = Random::seed_from_u64(1);
    for _ in 0..1500 {
        let text =
            format!("topology \"m\"\n{}\n", sentence(&rules, &rules["stmt"], &mut random, 0));
        assert!(accepts(&rules, &text), "{text}");
        if let Err(errors) = reads(&text) {
            panic!("{errors}\n{text}");
        }
    }
}

/// Statements of all sorts: those of the guide, the presets and the machines of the tests.
fn statements() -> Vec<String> {
    let guide = std::fs::read_to_string("dsl/GRAMMAR.md").unwrap();
    let examples =
        guide.split("```topo\n").skip(1).map(|rest| rest.split("```").next().unwrap().to_owned());
    let presets = dsl::presets().iter().map(|preset| preset.text.to_owned());
    let machines = std::fs::read_dir("tests/machines").unwrap();
    let machines = machines.map(|file| std::fs::read_to_string(file.unwrap().path()).unwrap());
    let lines: BTreeSet<String> = examples
        .chain(presets)
        .chain(machines)
        .flat_map(|text| text.lines().map(str::to_owned).collect::<Vec<_>>())
        .map(|line| line.split(" #").next().unwrap_or_default().trim().to_owned())
        .filter(|line| !line.is_empty() && !line.starts_with(['#', '}']) && !line.ends_with('{'))
        .filter(|line| !line.starts_with("topology"))
        .collect();
    lines.into_iter().collect()
}

#[test]
fn the_parser_reads_what_the_grammar_accepts_and_nothing_else() {
    let rules = grammar();
    let statements = statements();
    assert!(statements.len() > 80, "{} statements", statements.len());
    let pool: Vec<String> = statements
        .iter()
        .flat_map(|statement| tokens(statement))
        .collect::<BTreeSet<_>>()
        .into_iter()
        .collect();
    let mut random = Random::seed_from_u64(2);
    let (mut good, mut bad) = (0, 0);
    for statement in statements.iter().cycle().take(4000) {
        let mut changed = tokens(statement);
        let at = random.random_range(0..changed.len());
        match random.random_range(0..5) {
            0 => {}
            1 => {
                changed.remove(at);
            }
            2 => changed.insert(at, pool.choose(&mut random).unwrap().clone()),
            3 => changed[at] = pool.choose(&mut random).unwrap().clone(),
            _ => {
                let other = random.random_range(0..changed.len());
                changed.swap(at, other);
            }
        }
        // An index is not divided by zero, which the grammar does not say.
        if changed.windows(2).any(|pair| pair[0] == "/" && pair[1] == "0") {
            continue;
        }
        let text = format!("topology \"m\"\n{}\n", changed.join(" "));
        let (accepted, read) = (accepts(&rules, &text), reads(&text));
        assert_eq!(accepted, read.is_ok(), "{text}\n{}", read.err().unwrap_or_default());
        if accepted { good += 1 } else { bad += 1 }
    }
    assert!(good > 800 && bad > 800, "{good} read, {bad} refused");
}
