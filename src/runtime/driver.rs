//! Whether this machine could run kernels on a GPU.

/// Whether the CUDA driver's library can be loaded here. Says nothing about devices.
#[must_use]
#[allow(unsafe_code)] // the binding loads a library
pub fn cuda_driver_present() -> bool {
    // SAFETY: loads the vendor's driver library by name, as any CUDA program does, and calls
    // nothing in it.
    unsafe { cudarc::driver::sys::is_culib_present() }
}
