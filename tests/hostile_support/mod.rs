//! Cases of hostile input: the files, the command, and what it must say.

use std::fs::File;
use std::io::Write as _;
use std::path::Path;
use std::process::Command;

/// A hundred times what any case takes in a release build: only what never ends is killed.
const SECONDS: u32 = 120;
const MAX_KIB: u64 = 200 << 10;

/// A piece of a file.
pub enum Piece {
    Text(String),
    Bytes(Vec<u8>),
    Repeat(String, usize),
}

pub fn text(text: String) -> Vec<Piece> {
    vec![Piece::Text(text)]
}

pub fn bytes(bytes: &[u8]) -> Vec<Piece> {
    vec![Piece::Bytes(bytes.to_vec())]
}

pub fn repeat(before: &str, unit: &str, times: usize, behind: &str) -> Vec<Piece> {
    vec![
        Piece::Text(before.to_owned()),
        Piece::Repeat(unit.to_owned(), times),
        Piece::Text(behind.to_owned()),
    ]
}

/// What lies in the folder beside the case's own file.
enum Beside {
    File(&'static str, String),
    Link(&'static str, &'static str),
    Pipe(&'static str),
    Folder(&'static str),
}

/// A command on hostile input.
pub struct Case {
    name: &'static str,
    file: Option<(&'static str, Vec<Piece>)>,
    beside: Vec<Beside>,
    arguments: Vec<String>,
    input: &'static str,
    exit: i32,
    first: String,
    whole: bool,
}

impl Case {
    fn new(
        name: &'static str,
        file: Option<(&'static str, Vec<Piece>)>,
        arguments: &[&str],
    ) -> Self {
        Self {
            name,
            file,
            beside: Vec::new(),
            arguments: arguments.iter().map(|one| (*one).to_owned()).collect(),
            input: "/dev/null",
            exit: 0,
            first: String::new(),
            whole: true,
        }
    }

    pub fn check(name: &'static str, content: Vec<Piece>) -> Self {
        Self::new(name, Some(("m.topo", content)), &["check", "m.topo"])
    }

    pub fn fmt(name: &'static str, content: Vec<Piece>) -> Self {
        Self::new(name, Some(("m.topo", content)), &["fmt", "m.topo"])
    }

    pub fn import(name: &'static str, file: &'static str, content: Vec<Piece>) -> Self {
        Self::new(name, Some((file, content)), &["import", file])
    }

    pub fn demand(name: &'static str, file: &'static str, content: Vec<Piece>) -> Self {
        let path = format!("./{file}");
        Self::new(name, Some((file, content)), &["plan", "l20-8", "--demand", &path])
    }

    pub fn plan(name: &'static str, content: Vec<Piece>) -> Self {
        Self::new(name, Some(("p.json", content)), &["verify", "l20-8", "--plan", "p.json"])
    }

    pub fn preset(name: &'static str, arguments: &[&str]) -> Self {
        Self::new(name, None, arguments)
    }

    pub fn with(mut self, file: &'static str, text: String) -> Self {
        self.beside.push(Beside::File(file, text));
        self
    }

    pub fn linked(mut self, file: &'static str, to: &'static str) -> Self {
        self.beside.push(Beside::Link(file, to));
        self
    }

    pub fn pipe(mut self, file: &'static str) -> Self {
        self.beside.push(Beside::Pipe(file));
        self
    }

    pub fn folder(mut self, name: &'static str) -> Self {
        self.beside.push(Beside::Folder(name));
        self
    }

    pub fn reads(mut self, input: &'static str) -> Self {
        self.input = input;
        self
    }

    /// The exit code and the whole first line on stderr.
    pub fn says(mut self, exit: i32, first: &str) -> Self {
        (self.exit, self.first, self.whole) = (exit, first.to_owned(), true);
        self
    }

    /// The exit code and how the first line on stderr begins.
    pub fn fails(self, exit: i32, first: &str) -> Self {
        Self { whole: false, ..self.says(exit, first) }
    }

    fn prepare(&self, folder: &Path) {
        if let Some((name, pieces)) = &self.file {
            let mut file = File::create(folder.join(name)).expect("a file");
            for piece in pieces {
                match piece {
                    Piece::Text(text) => file.write_all(text.as_bytes()),
                    Piece::Bytes(bytes) => file.write_all(bytes),
                    Piece::Repeat(unit, times) => {
                        // In blocks, so that the test itself stays small.
                        let block = (*times).clamp(1, 65_536);
                        let many = unit.repeat(block);
                        (0..times / block)
                            .try_for_each(|_| file.write_all(many.as_bytes()))
                            .and_then(|()| file.write_all(unit.repeat(times % block).as_bytes()))
                    }
                }
                .expect("room on the disk");
            }
        }
        for beside in &self.beside {
            match beside {
                Beside::File(name, text) => std::fs::write(folder.join(name), text),
                Beside::Link(name, to) => std::os::unix::fs::symlink(to, folder.join(name)),
                Beside::Folder(name) => std::fs::create_dir(folder.join(name)),
                Beside::Pipe(name) => {
                    let made = Command::new("mkfifo").arg(folder.join(name)).status();
                    made.map(|status| assert!(status.success(), "mkfifo works"))
                }
            }
            .expect("the folder is writable");
        }
    }

    fn run(&self) {
        let folder = tempfile::tempdir().expect("a folder");
        self.prepare(folder.path());
        let own = env!("CARGO_BIN_EXE_variopath");
        let binary = std::env::var("VARIOPATH_BINARY").unwrap_or_else(|_| own.to_owned());
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/measure.py");
        let measured = Command::new("python3")
            .arg(script)
            .args([&SECONDS.to_string(), self.input, "stdout", "stderr", &binary])
            .args(&self.arguments)
            .current_dir(folder.path())
            .output()
            .expect("python3 is there");
        let text = String::from_utf8_lossy(&measured.stdout);
        let figures: Vec<i64> = text.lines().map(|line| line.parse().expect("a number")).collect();
        let [code, kib, milliseconds] = figures[..] else {
            panic!("{}", String::from_utf8_lossy(&measured.stderr));
        };
        let stderr = std::fs::read(folder.path().join("stderr")).expect("stderr is kept");
        let stderr = String::from_utf8_lossy(&stderr);
        let first = stderr.lines().next().unwrap_or_default();
        println!(
            "{milliseconds:>6} ms {:>4} MB  exit {code}  {}: {first:.150}",
            kib >> 10,
            self.name
        );
        let name = self.name;
        let shown: String = stderr.chars().take(2000).collect();
        assert_eq!(code, i64::from(self.exit), "{name}: {shown}");
        if self.whole {
            assert_eq!(first, self.first, "{name}");
        } else {
            assert!(first.starts_with(&self.first), "{name}: {first}");
        }
        assert!(stderr.len() < 20_000, "{name}: {} bytes of errors", stderr.len());
        assert!(kib.unsigned_abs() < MAX_KIB, "{name}: {} MB", kib >> 10);
    }
}

pub fn check(cases: &[Case]) {
    cases.iter().for_each(Case::run);
}
