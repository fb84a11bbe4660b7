//! A bundle is written whole or not at all, and refused by name when anything in it differs.

use std::fs;
use std::path::Path;
use variopath::base::{BytesPerSecond, Digest, Initiator, LinkId, Mode, Rank, RouteClass, RouteId};
use variopath::bundle::{self, BundleError, CATALOG, KERNELS, MANIFEST, Parts, TOPOLOGY};
use variopath::catalog::{
    Catalog, Channel, ChannelOrbit, Families, PlannedRoute, StructureEdge, StructureVertex,
};

/// Two GPUs on one switch: small, and complete enough for every field of the manifest.
fn parts() -> Parts {
    let vertex = |path: &str, colour| StructureVertex { path: path.into(), colour };
    let capacity = Some(BytesPerSecond(25_000_000_000));
    let edge = |from, to| StructureEdge { from, to, capacity };
    let route = |src, dst, links: [u32; 2]| PlannedRoute {
        src: Rank(src),
        dst: Rank(dst),
        class: RouteClass::Switch,
        mode: Mode::Push,
        initiator: Initiator::Kernel,
        links: links.map(LinkId).to_vec(),
        shares: Vec::new(),
        rate: BytesPerSecond(25_000_000_000),
        paced: Vec::new(),
    };
    let catalog = Catalog {
        topology: "two".into(),
        digest: Digest::of(b"two"),
        ranks: 2,
        vertices: vec![vertex("sw", 0), vertex("g[0]", 1), vertex("g[1]", 1)],
        links: vec![edge(1, 0), edge(0, 1), edge(2, 0), edge(0, 2)],
        efficiency: Vec::new(),
        joint: Vec::new(),
        rank_vertices: vec![1, 2],
        routes: vec![route(0, 1, [0, 3]), route(1, 0, [2, 1])],
        forbidden: Vec::new(),
        limits: Vec::new(),
        generators: vec![vec![0, 2, 1]],
        order: "2".into(),
        pair_orbits: 1,
        strict: Families {
            orbits: vec![ChannelOrbit {
                representative: Channel::strict([RouteId(0), RouteId(1)]),
                size: "1".into(),
            }],
            channels: "1".into(),
            complete: true,
        },
        two_rate: None,
    };
    Parts {
        topology_text: "topology \"two\"\n".into(),
        programs: bundle::ProgramTable::of(&catalog),
        catalog,
        kernels: "// kernels of two\n".into(),
    }
}

fn written() -> (tempfile::TempDir, std::path::PathBuf) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let dir = folder.path().join("two");
    bundle::write(&dir, &parts(), false).expect("writes");
    (folder, dir)
}

fn refusal(dir: &Path) -> String {
    bundle::read(dir).expect_err("is refused").to_string()
}

fn contents(dir: &Path) -> Vec<(std::ffi::OsString, Vec<u8>)> {
    let mut files: Vec<_> = fs::read_dir(dir)
        .expect("a folder")
        .map(|entry| entry.expect("an entry"))
        .map(|entry| (entry.file_name(), fs::read(entry.path()).expect("a file")))
        .collect();
    files.sort();
    files
}

#[test]
fn what_was_written_is_read() {
    let (_folder, dir) = written();
    let read = bundle::read(&dir).expect("reads");
    let parts = parts();
    assert_eq!(read.catalog, parts.catalog);
    assert_eq!(read.topology_text, parts.topology_text);
    assert_eq!(read.kernels, parts.kernels);
    assert_eq!((read.manifest.ranks, read.manifest.programs), (2, 2));
}

#[test]
fn two_folders_hold_the_same_bytes() {
    let (_first, a) = written();
    let (_second, b) = written();
    assert_eq!(contents(&a), contents(&b));
}

#[test]
fn truncated_files_are_refused() {
    for name in [CATALOG, KERNELS, TOPOLOGY] {
        let (_folder, dir) = written();
        let path = dir.join(name);
        let bytes = fs::read(&path).expect("reads");
        for keep in [0, 1, bytes.len() / 2, bytes.len() - 1] {
            fs::write(&path, &bytes[..keep]).expect("writes");
            assert_eq!(
                refusal(&dir),
                format!("{name} is truncated: {keep} of {} bytes", bytes.len())
            );
        }
    }
    let (_folder, dir) = written();
    let path = dir.join(MANIFEST);
    let bytes = fs::read(&path).expect("reads");
    for keep in [0, 1, bytes.len() / 2, bytes.len() - 1] {
        fs::write(&path, &bytes[..keep]).expect("writes");
        let text = refusal(&dir);
        assert!(text.starts_with("manifest.json cannot be read: "), "{text}");
    }
}

#[test]
fn every_flipped_byte_is_refused() {
    for name in [CATALOG, KERNELS, TOPOLOGY] {
        let (_folder, dir) = written();
        let path = dir.join(name);
        let bytes = fs::read(&path).expect("reads");
        for at in [0, bytes.len() / 3, bytes.len() / 2, bytes.len() - 1] {
            let mut flipped = bytes.clone();
            flipped[at] ^= 1;
            fs::write(&path, &flipped).expect("writes");
            let expected = BundleError::Changed {
                file: name.into(),
                found: Digest::of(&flipped),
                expected: Digest::of(&bytes),
            };
            assert_eq!(bundle::read(&dir), Err(expected.clone()));
            assert!(
                expected.to_string().starts_with(&format!("{name} was changed: its digest is"))
            );
        }
    }
}

#[test]
fn flipped_bytes_of_the_manifest_are_refused() {
    let (_folder, dir) = written();
    let path = dir.join(MANIFEST);
    let bytes = fs::read(&path).expect("reads");
    for at in 0..bytes.len() {
        let mut flipped = bytes.clone();
        flipped[at] ^= 1;
        fs::write(&path, &flipped).expect("writes");
        assert!(bundle::read(&dir).is_err(), "byte {at} of the manifest");
    }
}

#[test]
fn changed_fields_of_the_manifest_are_named() {
    let cases = [
        (
            "variopath-bundle/1",
            "variopath-bundle/2",
            "manifest.json has the format `variopath-bundle/2`; this version reads \
             `variopath-bundle/1`",
        ),
        (
            "variopath-bundle/1",
            "variopath-bundle/0",
            "manifest.json has the format `variopath-bundle/0`; this version reads \
             `variopath-bundle/1`",
        ),
        (
            "\"ranks\": 2",
            "\"ranks\": 3",
            "manifest.json was changed: `ranks` is 3, the files say 2",
        ),
        (
            "\"programs\": 2",
            "\"programs\": 9",
            "manifest.json was changed: `programs` is 9, the files say 2",
        ),
        (
            "\"topology\": \"two\"",
            "\"topology\": \"six\"",
            "manifest.json was changed: `topology` is six, the files say two",
        ),
        (
            "\"archs\": []",
            "\"archs\": [\"sm_89\"]",
            "manifest.json was changed: `archs` is sm_89, the files say ",
        ),
    ];
    for (from, to, expected) in cases {
        let (_folder, dir) = written();
        let path = dir.join(MANIFEST);
        let text = fs::read_to_string(&path).expect("reads");
        assert!(text.contains(from), "{text}");
        fs::write(&path, text.replace(from, to)).expect("writes");
        assert_eq!(refusal(&dir), expected);
    }
    for field in ["topology_digest", "catalog_digest"] {
        let (_folder, dir) = written();
        let path = dir.join(MANIFEST);
        let text = fs::read_to_string(&path).expect("reads");
        let at = text.find(field).expect("the field") + field.len() + 4;
        let changed = format!("{}{}{}", &text[..at], "0".repeat(64), &text[at + 64..]);
        fs::write(&path, changed).expect("writes");
        let start = format!("manifest.json was changed: `{field}` is 0000");
        assert!(refusal(&dir).starts_with(&start), "{}", refusal(&dir));
    }
}

#[test]
fn a_catalog_of_another_version_is_refused() {
    let (_folder, dir) = written();
    let path = dir.join(CATALOG);
    let old = fs::read_to_string(&path).expect("reads");
    let new = old.replace("variopath-catalog/1", "variopath-catalog/2");
    fs::write(&path, &new).expect("writes");
    // Even when the manifest is made to agree with it.
    let manifest = fs::read_to_string(dir.join(MANIFEST)).expect("reads");
    let (from, to) = (Digest::of(old.as_bytes()), Digest::of(new.as_bytes()));
    fs::write(dir.join(MANIFEST), manifest.replace(from.as_str(), to.as_str())).expect("writes");
    assert_eq!(
        refusal(&dir),
        "catalog.json cannot be read: its format is `variopath-catalog/2`, this version reads \
         `variopath-catalog/1`"
    );
}

#[test]
fn missing_and_foreign_entries_are_named() {
    for name in [CATALOG, KERNELS, TOPOLOGY, MANIFEST] {
        let (_folder, dir) = written();
        fs::remove_file(dir.join(name)).expect("removes");
        assert_eq!(refusal(&dir), format!("{name} is missing"));
    }
    let (_folder, dir) = written();
    fs::write(dir.join("notes.txt"), "hello").expect("writes");
    assert_eq!(refusal(&dir), "notes.txt does not belong to the bundle");
    let (_folder, dir) = written();
    fs::create_dir(dir.join("more")).expect("makes a folder");
    assert_eq!(refusal(&dir), "more is not a regular file");
}

#[cfg(unix)]
#[test]
fn links_are_refused_even_to_the_right_bytes() {
    let (folder, dir) = written();
    let elsewhere = folder.path().join("kernels");
    fs::rename(dir.join(KERNELS), &elsewhere).expect("moves");
    std::os::unix::fs::symlink(&elsewhere, dir.join(KERNELS)).expect("links");
    assert_eq!(refusal(&dir), "kernels.cu is not a regular file");
}

#[test]
fn a_longer_file_is_refused() {
    let (_folder, dir) = written();
    fs::write(dir.join(TOPOLOGY), "topology \"two\"\n# more\n").expect("writes");
    assert_eq!(refusal(&dir), "topology.topo is too long: 22 bytes in place of 15");
}

#[test]
fn an_existing_output_needs_force_and_only_bundles_are_replaced() {
    let (folder, dir) = written();
    let before = contents(&dir);
    let error = bundle::write(&dir, &parts(), false).expect_err("is refused");
    assert_eq!(error.to_string(), format!("{} exists; --force replaces a bundle", dir.display()));
    let mut other = parts();
    other.kernels.push_str("// more\n");
    bundle::write(&dir, &other, true).expect("replaces");
    assert_ne!(contents(&dir), before);
    // A damaged bundle is still one.
    fs::write(dir.join(KERNELS), "").expect("writes");
    bundle::write(&dir, &parts(), true).expect("replaces");
    assert_eq!(contents(&dir), before);
    fs::write(dir.join("notes.txt"), "keep me").expect("writes");
    let error = bundle::write(&dir, &parts(), true).expect_err("is refused");
    assert_eq!(error, BundleError::NotABundle(dir.clone()));
    assert_eq!(error.to_string(), format!("{} is not a bundle and is left alone", dir.display()));
    let file = folder.path().join("file");
    fs::write(&file, "keep me").expect("writes");
    assert_eq!(bundle::write(&file, &parts(), true), Err(BundleError::NotABundle(file.clone())));
    assert_eq!(fs::read_to_string(&file).expect("reads"), "keep me");
    // Nothing is left beside them.
    assert_eq!(fs::read_dir(folder.path()).expect("a folder").count(), 2);
}

#[test]
fn a_failed_write_leaves_nothing() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let absent = folder.path().join("absent/two");
    let error = bundle::write(&absent, &parts(), false).expect_err("is refused");
    let parent = folder.path().join("absent");
    assert_eq!(
        error.to_string(),
        format!("cannot write in {}: No such file or directory", parent.display())
    );
    let file = folder.path().join("file");
    fs::write(&file, "").expect("writes");
    let error = bundle::write(&file.join("two"), &parts(), false).expect_err("is refused");
    assert_eq!(
        error.to_string(),
        format!("cannot look at {}: Not a directory", file.join("two").display())
    );
    // The write fails after the staging folder stands: the bundle does not survive being read
    // back, because its catalog and program table disagree.
    let mut wrong = parts();
    wrong.programs.programs.pop();
    let error = bundle::write(&folder.path().join("two"), &wrong, false).expect_err("is refused");
    assert_eq!(error.to_string(), "manifest.json was changed: `programs` is 1, the files say 2");
    assert_eq!(fs::read_dir(folder.path()).expect("a folder").count(), 1);
}
