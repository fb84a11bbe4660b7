//! Names inside comments.

/// `name` as it may stand in a `//` or `/* */` comment or a C string: printable ASCII on one line,
/// without the characters that could end the comment, continue it on the next line, or end the
/// string. Everything else becomes `_`.
pub(super) fn comment_safe(name: &str) -> String {
    let keep = |c: char| match c {
        '\\' | '"' | '?' | '*' => '_',
        ' '..='~' => c,
        _ => '_',
    };
    name.chars().map(keep).collect()
}

#[cfg(test)]
mod tests {
    use super::comment_safe;

    #[test]
    fn nothing_ends_or_continues_a_comment() {
        assert_eq!(comment_safe("h[3].g[1]"), "h[3].g[1]");
        assert_eq!(
            comment_safe("a */ b\nc \\\r\n\"??/é"),
            "a _/ b_c ____ __/_".replace("____ __", "______")
        );
    }
}
