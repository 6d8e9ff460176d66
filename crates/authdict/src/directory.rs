//! Block directories of any suite through messages, for services.

use core::{any::Any, fmt};
use std::path::Path;

pub use block_directory::internals::log_path;
use block_directory::{
    BlockDirectory, CacheBudget, RequestError, StoreError,
    internals::{CheckedUpdate, suite_of as stored_suite},
};
use pad_core::{
    ApplyError, LookupError, Repository as _, StoreFault, Suite, Untrusted, Version, codec,
    internals::UpdateHead,
};

use crate::{
    heads::Heads,
    keys::PublicKey,
    repository::RepositoryError,
    selection::{SchemeName, SuiteName, with_suite},
};

/// A block directory whose suite is chosen at run time. Requests, answers and updates are messages.
pub trait AnyDirectory: Heads<Error = LookupError> + fmt::Debug + Send + Sync {
    /// Answers the request of a [`block_directory::DirectoryClient`] about the latest version.
    ///
    /// # Errors
    /// [`RequestError`].
    fn answer(&self, request: &[u8]) -> Result<Vec<u8>, RequestError>;

    /// Returns the update that produced a version. Returns `None` if the version does not exist, or
    /// if a checkpoint has dropped its update.
    ///
    /// # Errors
    /// [`StoreError`].
    fn update_message(&self, version: Version) -> Result<Option<Vec<u8>>, StoreError>;

    /// Verifies the head of an update. Returns `false` if the directory already has the version
    /// with this head.
    ///
    /// # Errors
    /// [`RepositoryError`]; [`ApplyError::VersionGap`] also for another update to an existing
    /// version, signed by the author.
    fn check_head(&self, update: &[u8]) -> Result<bool, RepositoryError>;

    /// Verifies an update without changing the directory. Returns `None` if the directory already
    /// has the version with this head.
    ///
    /// # Errors
    /// The errors of [`AnyDirectory::check_head`].
    fn check_update(&self, update: &[u8]) -> Result<Option<CheckedMessage>, RepositoryError>;

    /// Applies a verified update durably. Verifies its head again, and the whole update only if the
    /// directory has changed meanwhile.
    ///
    /// # Errors
    /// [`RepositoryError`].
    fn apply_checked(&mut self, checked: &mut CheckedMessage) -> Result<Version, RepositoryError>;

    /// Sets the maximum number of registered entries in the answer to one request for a range.
    fn limit_ranges(&mut self, most: u64);

    /// Returns whether a failed write has closed the directory, so that it must be opened again.
    fn is_closed(&self) -> bool;

    /// Returns the details of the last store error, once.
    fn take_store_error(&self) -> Option<StoreError>;

    /// Returns the total size of all files in bytes.
    ///
    /// # Errors
    /// [`StoreError`].
    fn file_bytes(&self) -> Result<u64, StoreError>;
}

/// An update that [`AnyDirectory::check_update`] has verified.
#[derive(Debug)]
pub struct CheckedMessage(Box<dyn Any + Send>);

/// Opens the directory in `folder`, of any suite in this build. Also returns the author's public
/// key, as stored in the folder. No other process can open the directory meanwhile.
///
/// # Errors
/// [`StoreError`].
pub fn open(
    folder: &Path,
    budget: CacheBudget,
) -> Result<(PublicKey, Box<dyn AnyDirectory>), StoreError> {
    let suite = suite_of(folder)?;
    with_suite!(suite, S => {
        let directory = BlockDirectory::<S>::open(folder, budget)?;
        let public = PublicKey {
            suite,
            scheme: SchemeName::Directory,
            authority: *directory.heads().authority(),
            scheme_key: None,
        };
        Ok((public, Box::new(directory)))
    })
}

/// Returns the suite of the directory in `folder`.
///
/// # Errors
/// [`StoreError`], with [`StoreError::OtherFormat`] for a suite that is not in this build.
pub fn suite_of(folder: &Path) -> Result<SuiteName, StoreError> {
    let suite = stored_suite(folder)?;
    SuiteName::from_id(suite.0).ok_or_else(|| StoreError::OtherFormat {
        folder: folder.to_path_buf(),
        found: format!("suite {}, which is not in this build", suite.0),
    })
}

/// Decodes the head of an update, which is verified before the operations are stored.
fn peeked<S: Suite>(update: &[u8]) -> Result<UpdateHead<S>, RepositoryError> {
    UpdateHead::peek::<()>(update, update.len()).map_err(RepositoryError::Unreadable)
}

/// Verifies the head of an update to `directory`, like [`AnyDirectory::check_head`].
fn check_peeked<S: Suite>(
    directory: &BlockDirectory<S>,
    peeked: &UpdateHead<S>,
) -> Result<bool, RepositoryError> {
    let (heads, head) = (directory.heads(), peeked.head);
    match heads.check(peeked.base, &head) {
        Ok(()) => Ok(true),
        Err(gap @ ApplyError::VersionGap { expected, actual }) if actual < expected => {
            let version = Version::new(actual.number().saturating_add(1));
            if heads
                .head(version)
                .is_ok_and(|known| known.head == head.head)
            {
                return Ok(false);
            }
            let signed = Untrusted::new(head).verify(heads.authority(), &version);
            Err(refused(signed.err().map_or(gap, ApplyError::Head)))
        }
        Err(error) => Err(refused(error)),
    }
}

/// Converts the error of an update. A fault of the store does not blame the update.
fn refused(error: ApplyError) -> RepositoryError {
    match error {
        ApplyError::Store(fault) => LookupError::Store(fault).into(),
        error => RepositoryError::Refused(error),
    }
}

impl<S: Suite> AnyDirectory for BlockDirectory<S> {
    fn answer(&self, request: &[u8]) -> Result<Vec<u8>, RequestError> {
        self.answer(request)
    }

    fn update_message(&self, version: Version) -> Result<Option<Vec<u8>>, StoreError> {
        self.logged_update(version)
    }

    fn check_head(&self, update: &[u8]) -> Result<bool, RepositoryError> {
        check_peeked(self, &peeked(update)?)
    }

    fn check_update(&self, update: &[u8]) -> Result<Option<CheckedMessage>, RepositoryError> {
        let peeked = peeked(update)?;
        if !check_peeked(self, &peeked)? {
            return Ok(None);
        }
        self.require_operations(&peeked).map_err(refused)?;
        let update = codec::decode(update, update.len()).map_err(RepositoryError::Unreadable)?;
        let checked = Self::check_update(self, update).map_err(refused)?;
        Ok(Some(CheckedMessage(Box::new(checked))))
    }

    fn apply_checked(&mut self, checked: &mut CheckedMessage) -> Result<Version, RepositoryError> {
        // An update was checked by a directory of the same author, which has one suite.
        let checked = checked.0.downcast_mut::<CheckedUpdate<S>>();
        let checked = checked.ok_or(LookupError::Store(StoreFault::Closed))?;
        Self::apply_checked(self, checked).map_err(refused)
    }

    fn limit_ranges(&mut self, most: u64) {
        self.limit_ranges(most);
    }

    fn is_closed(&self) -> bool {
        let head = self.head(self.latest());
        matches!(head, Err(LookupError::Store(_)))
    }

    fn take_store_error(&self) -> Option<StoreError> {
        self.take_store_error()
    }

    fn file_bytes(&self) -> Result<u64, StoreError> {
        self.file_bytes()
    }
}
