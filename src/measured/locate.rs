//! The place of a value in a JSON text that is known to be well formed.

use super::fault::Step;

/// The bytes of the value at `path`; the whole text where the path leads nowhere.
pub(super) fn locate(text: &str, path: &[Step]) -> (usize, usize) {
    let mut scanner = Scanner { bytes: text.as_bytes(), at: 0 };
    scanner.blanks();
    for step in path {
        if !scanner.enter(step) {
            break;
        }
    }
    let start = scanner.at;
    scanner.value();
    (start, scanner.at)
}

struct Scanner<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl Scanner<'_> {
    fn peek(&self) -> u8 {
        self.bytes.get(self.at).copied().unwrap_or(0)
    }

    fn blanks(&mut self) {
        while matches!(self.peek(), b' ' | b'\t' | b'\n' | b'\r') {
            self.at += 1;
        }
    }

    /// Moves to the member of the object or array here; stays where there is none.
    fn enter(&mut self, step: &Step) -> bool {
        let begin = self.at;
        let mut found = None;
        let mut index = 0;
        let open = self.peek();
        if open != b'{' && open != b'[' {
            return false;
        }
        self.at += 1;
        loop {
            self.blanks();
            if matches!(self.peek(), b'}' | b']' | 0) {
                break;
            }
            let mut is_it = matches!(step, Step::Index(wanted) if *wanted == index);
            if open == b'{' {
                let start = self.at;
                self.string();
                let key = serde_json::from_slice::<String>(&self.bytes[start..self.at]);
                // The last of equal keys counts, as it does for the reader.
                is_it = matches!((step, key), (Step::Key(wanted), Ok(key)) if *wanted == key);
                self.blanks();
                self.at += 1;
                self.blanks();
            }
            if is_it {
                found = Some(self.at);
            }
            self.value();
            self.blanks();
            if self.peek() == b',' {
                self.at += 1;
            }
            index += 1;
        }
        self.at = found.unwrap_or(begin);
        found.is_some()
    }

    fn string(&mut self) {
        self.at += 1;
        while !matches!(self.peek(), b'"' | 0) {
            self.at += if self.peek() == b'\\' { 2 } else { 1 };
        }
        self.at = (self.at + 1).min(self.bytes.len());
    }

    /// Moves behind the value here.
    fn value(&mut self) {
        let mut depth = 0_usize;
        loop {
            match self.peek() {
                b'"' => self.string(),
                b'{' | b'[' => {
                    depth += 1;
                    self.at += 1;
                }
                b'}' | b']' => {
                    depth = depth.saturating_sub(1);
                    self.at += 1;
                }
                0 => return,
                b' ' | b'\t' | b'\n' | b'\r' | b',' | b':' => self.at += 1,
                _ => {
                    let word = |c: u8| c.is_ascii_alphanumeric() || b"+-.".contains(&c);
                    while word(self.peek()) {
                        self.at += 1;
                    }
                }
            }
            if depth == 0 {
                return;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_found() {
        let text = r#" {"a\"": [1, {"b": [true, "x,]"]}], "c": -1.5e3} "#;
        let at = |path: &[Step]| {
            let (start, end) = locate(text, path);
            &text[start..end]
        };
        assert_eq!(at(&[Step::Key("c")]), "-1.5e3");
        assert_eq!(at(&[Step::Key("a\""), Step::Index(0)]), "1");
        let inner = [Step::Key("a\""), Step::Index(1), Step::Key("b"), Step::Index(1)];
        assert_eq!(at(&inner), "\"x,]\"");
        assert_eq!(at(&inner[..2]), r#"{"b": [true, "x,]"]}"#);
        assert_eq!(at(&[Step::Key("c"), Step::Index(3)]), "-1.5e3");
    }
}
