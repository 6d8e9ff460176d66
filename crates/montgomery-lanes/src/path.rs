//! The choice between the kernels for AVX-512 IFMA and the portable ones.

use std::sync::LazyLock;

#[cfg(target_arch = "x86_64")]
use crate::ifma::Ifma;

/// Environment variable that switches the instructions off, if its value is `off`.
const SWITCH: &str = "PAD_LANES";

/// A set of kernels that this processor can run.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Path {
    /// Kernels for AVX-512 IFMA. The value proves that the processor has the instructions.
    #[cfg(target_arch = "x86_64")]
    Ifma(Ifma),
    /// Portable kernels for any processor.
    Portable,
}

/// Calls a kernel of a path. Each function of [`portable`](crate::portable) that the crate can call
/// is a kernel, and [`Ifma`] has a method of the same name.
macro_rules! dispatch {
    ($path:expr, $kernel:ident, $arguments:expr) => {
        match $path {
            #[cfg(target_arch = "x86_64")]
            $crate::path::Path::Ifma(ifma) => ifma.$kernel($arguments),
            $crate::path::Path::Portable => $crate::portable::$kernel($arguments),
        }
    };
}

pub(crate) use dispatch;

impl Path {
    /// The fastest kernels that the processor can run and that are not switched off.
    pub(crate) fn fastest() -> Self {
        static FASTEST: LazyLock<Path> = LazyLock::new(|| {
            if std::env::var_os(SWITCH).is_some_and(|value| value == "off") {
                return Path::Portable;
            }
            Path::all().into_iter().next().unwrap_or(Path::Portable)
        });
        *FASTEST
    }

    /// All kernels that the processor can run, the fastest first.
    pub(crate) fn all() -> Vec<Self> {
        #[cfg(target_arch = "x86_64")]
        let fast = Ifma::detect().map(Self::Ifma);
        #[cfg(not(target_arch = "x86_64"))]
        let fast = None;
        fast.into_iter().chain([Self::Portable]).collect()
    }
}

/// Returns whether the fast kernels are in use: the processor has AVX-512 IFMA, and `PAD_LANES` is
/// not `off`. Otherwise, single numbers are faster with a scalar library.
pub fn are_fast() -> bool {
    !matches!(Path::fastest(), Path::Portable)
}
