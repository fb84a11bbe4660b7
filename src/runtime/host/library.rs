//! The compiled kernels as functions. The only unsafe code of the engine.

use super::HostError;
use crate::bundle::plan_buffer::Arguments;
use libloading::Library;
use std::ffi::{c_int, c_void};
use std::path::Path;

type Launch = unsafe extern "C" fn(*const c_void, u32, u32) -> c_int;

/// A loaded library of `kernels.cu`.
pub(super) struct Kernels {
    launch: Launch,
    // Keeps `launch` mapped; dropped last.
    _library: Library,
}

impl Kernels {
    /// Loads the library at `path`, whose kernels take `argument_bytes` bytes.
    #[allow(unsafe_code)] // loading code made by a compiler
    pub(super) fn load(path: &Path, argument_bytes: u64) -> Result<Self, HostError> {
        let failed = |error: libloading::Error| HostError::Load {
            path: path.to_owned(),
            reason: error.to_string(),
        };
        // SAFETY: the library was compiled from the launcher of this crate, whose constructors are
        // those of the C++ runtime, and both symbols are declared there with these signatures.
        let (library, launch, size) = unsafe {
            let library = Library::new(path).map_err(failed)?;
            let launch = *library.get::<Launch>(b"variopath_launch\0").map_err(failed)?;
            let size = *library
                .get::<unsafe extern "C" fn() -> u64>(b"variopath_argument_bytes\0")
                .map_err(failed)?;
            (library, launch, size())
        };
        if size != argument_bytes {
            return Err(HostError::Arguments { found: size, expected: argument_bytes });
        }
        Ok(Self { launch, _library: library })
    }

    /// Launches a rank and waits for it; `false` when the operating system gave no threads or
    /// memory.
    ///
    /// # Safety
    /// Every address in `arguments` must belong to memory that lives until all ranks of the
    /// exchange have returned, is aligned and long enough for what the plan buffers say, and is
    /// touched by nothing else meanwhile. The plan buffer must have passed `plan_buffer::decode`
    /// with the programs of these kernels.
    #[allow(unsafe_code)] // calls compiled code with raw addresses
    pub(super) unsafe fn launch(&self, arguments: &Arguments, blocks: u32, threads: u32) -> bool {
        let words = arguments.words();
        // SAFETY: the record is as long as the library says; the rest is the caller's promise.
        unsafe { (self.launch)(words.as_ptr().cast(), blocks, threads) == 0 }
    }
}
