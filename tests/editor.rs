//! The editors' grammar knows every word of the language and gives it the right colour.
//!
//! A small reading of what editors do with such a grammar: at each place the pattern that matches
//! first wins, among equals the one that stands first.

use regex::Regex;
use serde_json::Value;
use std::collections::BTreeMap;

/// A pattern with everything it includes resolved.
enum Pattern {
    Match { regex: Regex, name: String, captures: BTreeMap<usize, String> },
    Block { begin: Regex, end: Regex, name: String, inner: Vec<Pattern> },
}

fn grammar() -> Value {
    let text = std::fs::read_to_string("dsl/variopath.tmLanguage.json").unwrap();
    serde_json::from_str(&text).unwrap()
}

fn regex(value: &Value) -> Regex {
    let text = value.as_str().expect("a pattern is a text");
    Regex::new(text).unwrap_or_else(|error| panic!("{text}: {error}"))
}

fn patterns(grammar: &Value, list: &Value) -> Vec<Pattern> {
    let name = |value: &Value| value["name"].as_str().unwrap_or_default().to_owned();
    let mut all = Vec::new();
    for entry in list.as_array().expect("a list of patterns") {
        if let Some(include) = entry["include"].as_str() {
            let key = include.strip_prefix('#').expect("includes name the repository");
            let found = &grammar["repository"][key];
            assert!(found.is_object(), "`{key}` is in the repository");
            all.extend(patterns(grammar, &serde_json::json!([found])));
        } else if entry["begin"].is_string() {
            let inner = patterns(grammar, &entry["patterns"]);
            let (begin, end) = (regex(&entry["begin"]), regex(&entry["end"]));
            all.push(Pattern::Block { begin, end, name: name(entry), inner });
        } else if entry["match"].is_string() {
            let captures = entry["captures"].as_object().into_iter().flatten();
            let captures = captures.map(|(at, value)| (at.parse().unwrap(), name(value)));
            let (regex, captures) = (regex(&entry["match"]), captures.collect());
            all.push(Pattern::Match { regex, name: name(entry), captures });
        } else {
            all.extend(patterns(grammar, &entry["patterns"]));
        }
    }
    all
}

/// The pieces of a line with the scope of each, blanks left out.
fn colour(patterns: &[Pattern], line: &str) -> Vec<(String, String)> {
    let mut pieces = Vec::new();
    let mut at = 0;
    while at < line.len() {
        let first = patterns
            .iter()
            .filter_map(|pattern| {
                let regex = match pattern {
                    Pattern::Match { regex, .. } => regex,
                    Pattern::Block { begin, .. } => begin,
                };
                regex.captures_at(line, at).map(|found| (found, pattern))
            })
            .min_by_key(|(found, _)| found.get(0).unwrap().start());
        let Some((found, pattern)) = first else {
            assert_eq!(line[at..].trim(), "", "everything has a colour: {line}");
            break;
        };
        let whole = found.get(0).unwrap();
        assert_eq!(line[at..whole.start()].trim(), "", "everything has a colour: {line}");
        at = whole.end();
        match pattern {
            Pattern::Match { name, captures, .. } if captures.is_empty() => {
                pieces.push((whole.as_str().to_owned(), name.clone()));
            }
            Pattern::Match { captures, .. } => {
                for (index, name) in captures {
                    pieces.push((found.get(*index).unwrap().as_str().to_owned(), name.clone()));
                }
            }
            Pattern::Block { end, name, inner, .. } => {
                let mut stop = at;
                loop {
                    let close = end.find_at(line, stop).expect("blocks end with their line");
                    let escape = inner.iter().find_map(|pattern| match pattern {
                        Pattern::Match { regex, .. } => regex.find_at(line, stop),
                        Pattern::Block { .. } => None,
                    });
                    match escape {
                        Some(escape) if escape.start() < close.start() => stop = escape.end(),
                        _ => {
                            pieces
                                .push((line[whole.start()..close.end()].to_owned(), name.clone()));
                            at = close.end();
                            break;
                        }
                    }
                }
            }
        }
    }
    pieces
}

/// `word=scope` with the language's name left out of the scope.
fn drawn(line: &str) -> Vec<String> {
    let grammar = grammar();
    let pieces = colour(&patterns(&grammar, &grammar["patterns"]), line);
    let short = |scope: &str| scope.trim_end_matches(".variopath").to_owned();
    pieces
        .into_iter()
        .filter(|(_, scope)| !scope.starts_with("punctuation"))
        .map(|(word, scope)| format!("{word}={}", short(&scope)))
        .collect()
}

#[test]
fn a_line_of_each_sort() {
    assert_eq!(
        drawn(r#"gpu g[8] { arch sm_89, model "a \" # b" }  # eight"#),
        [
            "gpu=storage.type.device",
            "g=variable.other",
            "8=constant.numeric",
            "arch=support.type.property-name",
            "sm_89=constant.other",
            "model=support.type.property-name",
            r#""a \" # b"=string.quoted.double"#,
            "# eight=comment.line.number-sign",
        ]
    );
    assert_eq!(
        drawn("g[k] -- sw[k/2] : pcie gen4 x16, latency 1.5 us assumed"),
        [
            "g=variable.other",
            "k=variable.other",
            "--=keyword.operator",
            "sw=variable.other",
            "k=variable.other",
            "/=keyword.operator",
            "2=constant.numeric",
            "pcie=support.constant",
            "gen4=constant.numeric",
            "x16=constant.numeric",
            "latency=support.type.property-name",
            "1.5=constant.numeric",
            "us=keyword.other.unit",
            "assumed=storage.modifier",
        ]
    );
    assert_eq!(
        drawn("link upi = 39.5 GB/s"),
        [
            "link=storage.type",
            "upi=entity.name.type",
            "==keyword.operator",
            "39.5=constant.numeric",
            "GB/s=keyword.other.unit"
        ]
    );
    assert_eq!(
        drawn("avoid push from same switch to different uplink"),
        [
            "avoid=keyword.control",
            "push=keyword.other",
            "from=storage.modifier",
            "same=keyword.other",
            "switch=storage.type.device",
            "to=keyword.other",
            "different=keyword.other",
            "uplink=keyword.other",
        ]
    );
}

/// The words of a machine file in which every statement, rule and attribute stands once.
const EVERY_WORD: &str = "topology use as param link part gpu nic switch socket fabric set without \
    ranks by total peer forbid via loopback cap pacing bounce limit avoid efficiency cost measured \
    arch model memory bus latency assumed from unknown pcie none within nearest any kernel engine \
    at source destination chunks in to same different uplink node push pull direct cross network \
    step flow";

#[test]
fn no_word_of_the_language_looks_like_a_name() {
    for word in EVERY_WORD.split_whitespace() {
        let drawn = drawn(word);
        assert_eq!(drawn.len(), 1, "{drawn:?}");
        assert_ne!(drawn[0], format!("{word}=variable.other"));
    }
}

/// The list above is the language's: whatever may not be a name is in it.
#[test]
fn the_list_of_words_is_whole() {
    let guide = std::fs::read_to_string("dsl/GRAMMAR.md").unwrap();
    let words = guide.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_'));
    let known: Vec<&str> = EVERY_WORD.split_whitespace().collect();
    let mut seen = 0;
    for word in words.filter(|word| variopath::dsl::is_reserved(word)) {
        assert!(known.contains(&word), "`{word}` is a word of the language");
        seen += 1;
    }
    assert!(seen > 50, "the guide uses the words");
}

/// So are the words that the grammar quotes.
#[test]
fn the_words_of_the_grammar_are_in_the_list() {
    let guide = std::fs::read_to_string("dsl/GRAMMAR.md").unwrap();
    let grammar = guide.split("## Grammar").nth(1).unwrap().split("## Limits").next().unwrap();
    let known: Vec<&str> = EVERY_WORD.split_whitespace().collect();
    // Generations, widths and units are drawn by their form, as a line above shows.
    let words = grammar
        .split('"')
        .skip(1)
        .step_by(2)
        .filter(|word| word.len() > 2 && word.bytes().all(|byte| byte.is_ascii_lowercase()));
    let words: Vec<&str> = words.collect();
    assert!(words.len() > 60, "{} words", words.len());
    for word in words {
        assert!(known.contains(&word), "`{word}` is a word of the grammar");
    }
}

#[test]
fn presets_and_machines_have_a_colour_everywhere() {
    let grammar = grammar();
    let patterns = patterns(&grammar, &grammar["patterns"]);
    let machines = std::fs::read_dir("tests/machines").unwrap();
    let machines = machines.map(|file| std::fs::read_to_string(file.unwrap().path()).unwrap());
    let presets = variopath::dsl::presets().iter().map(|preset| preset.text.to_owned());
    for text in presets.chain(machines) {
        for line in text.lines() {
            colour(&patterns, line);
        }
    }
}

#[test]
fn shells_complete_every_verb() {
    let run = |arguments: &[&str]| {
        let mut command = assert_cmd::Command::cargo_bin("variopath").unwrap();
        let output = command.args(arguments).output().unwrap();
        assert!(output.status.success(), "{arguments:?}");
        String::from_utf8(output.stdout).unwrap()
    };
    let help = run(&["--help"]);
    let commands = help.split("Commands:\n").nth(1).unwrap().split("\n\n").next().unwrap();
    let verbs: Vec<&str> =
        commands.lines().filter_map(|line| line.split_whitespace().next()).collect();
    assert!(verbs.contains(&"check") && verbs.contains(&"completions"));
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let script = run(&["completions", shell]);
        for verb in &verbs {
            assert!(script.contains(verb), "{shell} completes {verb}");
        }
    }
}

/// Bash itself reads the script and offers verbs.
#[test]
fn bash_takes_the_completions() {
    let script = "source <(\"$0\" completions bash); COMP_WORDS=(variopath che); COMP_CWORD=1; \
                  _variopath variopath che variopath; echo \"${COMPREPLY[*]}\"";
    let binary = assert_cmd::cargo::cargo_bin("variopath");
    let output = std::process::Command::new("bash").arg("-c").arg(script).arg(binary).output();
    let output = output.expect("bash is on every machine that builds this");
    assert_eq!(String::from_utf8_lossy(&output.stdout), "check\n", "{output:?}");
}
