//! The instants that a signature covers.

use pad_core::VerifyError;
use serde::{Deserialize, Serialize};

/// The instants (versions or epochs) that a signature covers, both ends included.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Validity {
    /// The first instant that the signature covers.
    pub since: u64,
    /// The last instant that the signature covers.
    pub until: u64,
}

impl Validity {
    /// Checks that `instant` is within the interval.
    ///
    /// # Errors
    /// [`VerifyError::OutsideValidity`] if `instant` is outside the interval.
    pub const fn require(self, instant: u64) -> Result<(), VerifyError> {
        let Self { since, until } = self;
        if since <= instant && instant <= until {
            Ok(())
        } else {
            Err(VerifyError::OutsideValidity {
                instant,
                since,
                until,
            })
        }
    }
}
