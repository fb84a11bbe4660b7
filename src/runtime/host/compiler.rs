//! From kernel text to a library in the cache.

use super::HostError;
use crate::base::Digest;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The header that lets a C++ compiler take `kernels.cu`.
pub const SHIM: &str = include_str!("../../../templates/kernel/host/shim.h");
/// The file that makes the kernel callable from a library; it includes the two others.
pub const LAUNCHER: &str = include_str!("../../../templates/kernel/host/launcher.cpp");

const FLAGS: &[&str] = &[
    "-std=c++17",
    "-O2",
    "-fPIC",
    "-shared",
    "-fvisibility=hidden",
    "-fno-strict-aliasing",
    "-pthread",
];
/// Lines of a compiler's complaint that are worth showing.
const SHOWN_LINES: usize = 30;

/// A C++ compiler that answered when asked for its version.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Compiler {
    command: String,
    version: String,
}

impl Compiler {
    /// The compiler that `CXX` names, or else the first of `c++`, `g++`, `clang++`.
    ///
    /// # Errors
    /// [`HostError::NoCompiler`] when none answers.
    pub fn find() -> Result<Self, HostError> {
        let named = std::env::var("CXX").ok().filter(|name| !name.trim().is_empty());
        match &named {
            Some(name) => Self::first_of(&[name]),
            None => Self::first_of(&["c++", "g++", "clang++"]),
        }
    }

    /// The first of `commands` that answers. A command may carry arguments after spaces.
    ///
    /// # Errors
    /// [`HostError::NoCompiler`] when none answers.
    pub fn first_of(commands: &[&str]) -> Result<Self, HostError> {
        for command in commands {
            let Some(mut asked) = split(command) else { continue };
            if let Ok(output) = asked.arg("--version").output()
                && output.status.success()
            {
                let version = String::from_utf8_lossy(&output.stdout).into_owned();
                return Ok(Self { command: (*command).to_owned(), version });
            }
        }
        let tried = commands.iter().map(|command| (*command).to_owned()).collect();
        Err(HostError::NoCompiler { tried })
    }

    /// The command, as it was named.
    #[must_use]
    pub fn command(&self) -> &str {
        &self.command
    }

    /// The library of `kernels` in the first of `caches` that can be used.
    pub(super) fn library_in(
        &self,
        kernels: &str,
        caches: &[PathBuf],
    ) -> Result<PathBuf, HostError> {
        let mut result = Err(HostError::ForeignCache { path: PathBuf::new() });
        for cache in caches {
            result = self.library(kernels, cache);
            let unusable =
                matches!(result, Err(HostError::File { .. } | HostError::ForeignCache { .. }));
            if !unusable {
                break;
            }
        }
        result
    }

    /// The library of `kernels`, compiled unless the cache holds it. Several processes may do this
    /// at once: a library appears in the cache whole or not at all.
    fn library(&self, kernels: &str, cache: &Path) -> Result<PathBuf, HostError> {
        let parts = [kernels, SHIM, LAUNCHER, &self.command, &self.version, &FLAGS.join(" ")];
        // Lengths keep two different lists of parts from having the same concatenation.
        let lengths: Vec<u8> =
            parts.iter().flat_map(|part| (part.len() as u64).to_le_bytes()).collect();
        let key = Digest::of_parts(
            std::iter::once(&lengths[..]).chain(parts.iter().map(|part| part.as_bytes())),
        );
        let path = cache.join(format!("host-{key}.so"));
        let file = |path: &Path| {
            let path = path.to_owned();
            move |error| HostError::File { path, error }
        };
        own_folder(cache)?;
        if path.is_file() {
            return Ok(path);
        }
        let folder =
            tempfile::Builder::new().prefix("compiling-").tempdir_in(cache).map_err(file(cache))?;
        for (name, text) in [("kernels.cu", kernels), ("shim.h", SHIM), ("launcher.cpp", LAUNCHER)]
        {
            let path = folder.path().join(name);
            std::fs::write(&path, text).map_err(file(&path))?;
        }
        let made = folder.path().join("host.so");
        let Some(mut command) = split(&self.command) else {
            return Err(HostError::NoCompiler { tried: vec![self.command.clone()] });
        };
        let output = command
            .args(FLAGS)
            .arg("launcher.cpp")
            .arg("-o")
            .arg("host.so")
            .current_dir(folder.path())
            .output()
            .map_err(|error| HostError::File { path: PathBuf::from(&self.command), error })?;
        if !output.status.success() {
            let said = String::from_utf8_lossy(&output.stderr);
            let lines: Vec<&str> = said.lines().take(SHOWN_LINES).collect();
            let compiler = self.command.clone();
            return Err(HostError::Compile { compiler, output: lines.join("\n") });
        }
        std::fs::rename(&made, &path).map_err(file(&path))?;
        Ok(path)
    }
}

/// A command with its arguments; a relative path is made absolute, since the compiler runs in
/// another folder.
fn split(command: &str) -> Option<Command> {
    let mut words = command.split_whitespace();
    let program = words.next()?;
    let path = Path::new(program);
    let program = if path.components().count() > 1 && path.is_relative() {
        std::path::absolute(path).unwrap_or_else(|_| path.to_owned())
    } else {
        path.to_owned()
    };
    let mut command = Command::new(program);
    command.args(words);
    Some(command)
}

/// Makes the cache folder if need be. Code is loaded from it, so it must belong to this user and
/// be closed to others.
fn own_folder(cache: &Path) -> Result<(), HostError> {
    use std::os::unix::fs::{DirBuilderExt, MetadataExt};
    let file = |error| HostError::File { path: cache.to_owned(), error };
    std::fs::DirBuilder::new().recursive(true).mode(0o700).create(cache).map_err(file)?;
    let found = std::fs::metadata(cache).map_err(file)?;
    // The owner of a process's own entry there is the user it runs as.
    let user = std::fs::metadata("/proc/self").map_or(found.uid(), |process| process.uid());
    if found.uid() != user || found.mode() & 0o002 != 0 {
        return Err(HostError::ForeignCache { path: cache.to_owned() });
    }
    Ok(())
}

/// Where compiled kernels may be kept, best first: `XDG_CACHE_HOME`, `~/.cache`, the folder for
/// temporary files.
pub(super) fn default_caches() -> Vec<PathBuf> {
    let absolute =
        |name: &str| std::env::var_os(name).map(PathBuf::from).filter(|p| p.is_absolute());
    let named = [
        absolute("XDG_CACHE_HOME"),
        absolute("HOME").map(|home| home.join(".cache")),
        Some(std::env::temp_dir()),
    ];
    named.into_iter().flatten().map(|folder| folder.join("variopath")).collect()
}
