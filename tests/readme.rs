//! The README's examples are what the binary prints. `VARIOPATH_UPDATE_README=1 cargo test --test
//! readme` rewrites them.

use assert_cmd::Command;
use std::fs;
use std::path::Path;

const FILE_MARK: &str = "<!-- example file: ";
const RUN_MARK: &str = "<!-- example: ";

/// The block between the fences after `from`: (its start, its end).
fn block(text: &str, from: usize) -> (usize, usize) {
    let open = from + text[from..].find("```").expect("an example is followed by a block");
    let start = open + text[open..].find('\n').expect("a fence ends its line") + 1;
    let end = start + text[start..].find("```").expect("a block ends");
    (start, end)
}

#[test]
fn examples_print_what_they_show() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("README.md");
    let mut readme = fs::read_to_string(&path).expect("README.md");
    let folder = tempfile::tempdir().expect("a folder");
    let mut at = 0;
    while let Some(found) = readme[at..].find(FILE_MARK) {
        let mark = at + found + FILE_MARK.len();
        let name = readme[mark..].split(" -->").next().expect("a mark ends").to_owned();
        let (start, end) = block(&readme, mark);
        fs::write(folder.path().join(name), &readme[start..end]).expect("write");
        at = end;
    }
    let update = std::env::var_os("VARIOPATH_UPDATE_README").is_some();
    let (mut at, mut ran) = (0, 0);
    while let Some(found) = readme[at..].find(RUN_MARK) {
        let mark = at + found + RUN_MARK.len();
        let arguments = readme[mark..].split(" -->").next().expect("a mark ends").to_owned();
        let output = Command::cargo_bin("variopath")
            .expect("the binary")
            .args(arguments.split(' '))
            .current_dir(folder.path())
            .output()
            .expect("it runs");
        let errors = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.success(), "variopath {arguments}: {errors}");
        let printed = String::from_utf8(output.stdout).expect("UTF-8");
        let (start, end) = block(&readme, mark);
        if update {
            readme.replace_range(start..end, &printed);
        } else {
            assert_eq!(&readme[start..end], printed, "variopath {arguments}");
        }
        at = start;
        ran += 1;
    }
    assert_eq!(ran, 6, "README.md has six examples");
    if update {
        fs::write(path, readme).expect("write README.md");
    }
}
