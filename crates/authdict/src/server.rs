//! The server of a dictionary, which keeps all versions in a store.

use core::{
    fmt,
    marker::PhantomData,
    ops::{Deref, DerefMut},
};
use std::path::Path;

use pad_tree::NodeCache;

#[cfg(feature = "log")]
use crate::LogParameters;
use crate::{
    description::{create_store_with, key_of_store},
    family,
    keeper::{Keeper, SigningKeeper},
    keys::PublicKey,
    repository::RepositoryError,
    scheme::{AnyFamily, Scheme},
    selection::with_suite,
    store::{AnyStore, RecordChange, StoreError},
    store_log::MISSING,
};

/// A server of a dictionary of family `F`. It keeps all versions in a store, and answers with
/// proofs.
///
/// A server is untrusted. It contains the signing key only if an [`crate::Author`] has opened it.
/// Many processes can serve one store while one process writes to it. A server dereferences to the
/// [`Keeper`] that owns the store. The keeper applies updates, answers questions through messages,
/// prunes and checks.
pub struct Server<F = AnyFamily> {
    pub(crate) keeper: Box<dyn SigningKeeper>,
    family: PhantomData<fn() -> F>,
}

impl<F> fmt::Debug for Server<F> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_tuple("Server").field(&self.keeper).finish()
    }
}

impl<F> Deref for Server<F> {
    type Target = dyn Keeper;

    fn deref(&self) -> &Self::Target {
        &*self.keeper
    }
}

impl<F> DerefMut for Server<F> {
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut *self.keeper
    }
}

impl<F: Scheme> Server<F> {
    /// Creates an empty store for the updates of the author with the key `public`. The store is in
    /// a file, or in objects at an address such as `s3://bucket/prices` (feature `object-store`).
    ///
    /// # Errors
    /// [`RepositoryError::Store`] with [`StoreError::Exists`] if a store exists at `place`, with
    /// [`StoreError::OtherFamily`] for the key of another family, or with another [`StoreError`].
    pub fn create(place: impl AsRef<Path>, public: &PublicKey) -> Result<Self, RepositoryError> {
        Self::create_and(place, public, None)
    }

    /// Creates the store of an empty log, which also contains the public parameters `parameters`.
    /// Otherwise like [`Server::create`].
    ///
    /// # Errors
    /// The errors of [`Server::create`].
    #[cfg(feature = "log")]
    pub fn create_with(
        place: impl AsRef<Path>,
        public: &PublicKey,
        parameters: &LogParameters,
    ) -> Result<Self, RepositoryError> {
        Self::create_and(place, public, Some(parameters.record()))
    }

    fn create_and(
        place: impl AsRef<Path>,
        public: &PublicKey,
        record: Option<RecordChange>,
    ) -> Result<Self, RepositoryError> {
        F::require(public)?;
        create_store_with(place.as_ref(), public, record)?;
        Self::open(place, public)
    }

    /// Opens the store of the dictionary with the key `public`.
    ///
    /// Trees are read on demand. Signed tuples are too, after the updates are applied that their
    /// file lacks. Accumulator designs and logs are read into memory as a whole.
    ///
    /// # Errors
    /// [`RepositoryError`]; [`RepositoryError::Store`] with [`StoreError::Missing`],
    /// [`StoreError::OtherKey`] or [`StoreError::OtherFamily`].
    pub fn open(place: impl AsRef<Path>, public: &PublicKey) -> Result<Self, RepositoryError> {
        F::require(public)?;
        let (keeper, stored) = opened(place.as_ref(), &NodeCache::default())?;
        if stored != *public {
            return Err(StoreError::OtherKey.into());
        }
        Ok(Self::of(keeper))
    }
}

impl<F> Server<F> {
    const fn of(keeper: Box<dyn SigningKeeper>) -> Self {
        Self {
            keeper,
            family: PhantomData,
        }
    }
}

impl Server {
    /// Opens the store of any dictionary, and reads the public key from the store's records. These
    /// records are as trustworthy as the store.
    ///
    /// # Errors
    /// [`RepositoryError`].
    pub fn of_any(place: impl AsRef<Path>) -> Result<Self, RepositoryError> {
        Self::of_any_with(place, NodeCache::default())
    }

    /// Opens a store like [`Server::of_any`], and caches nodes of stored trees in `cache`. A cache
    /// that was used before still contains the nodes that were read then.
    ///
    /// # Errors
    /// [`RepositoryError`], with [`StoreError::TooLarge`] if the cache must contain the latest
    /// version and its limit is too low.
    pub fn of_any_with(
        place: impl AsRef<Path>,
        cache: impl Into<NodeCache>,
    ) -> Result<Self, RepositoryError> {
        Ok(Self::of(opened(place.as_ref(), &cache.into())?.0))
    }

    /// Opens a dictionary like [`Server::of_any_with`], in a store that is already open.
    ///
    /// # Errors
    /// The errors of [`Server::of_any_with`].
    #[doc(hidden)]
    pub fn in_store(store: AnyStore, cache: impl Into<NodeCache>) -> Result<Self, RepositoryError> {
        let public = key_of_store(&*store)?;
        Ok(Self::of(open(store, &public, cache.into())?))
    }
}

/// Opens the dictionary in a store, and returns it with the public key in the store's records.
fn opened(
    path: &Path,
    cache: &NodeCache,
) -> Result<(Box<dyn SigningKeeper>, PublicKey), RepositoryError> {
    let open = || {
        let store = AnyStore::open(path)?;
        let public = key_of_store(&*store)?;
        Ok((open(store, &public, cache.clone())?, public))
    };
    match open() {
        // Another process may have pruned after the store was read and before its node file was
        // read.
        Err(RepositoryError::Store(StoreError::Damaged(MISSING))) => open(),
        opened => opened,
    }
}

fn open(
    store: AnyStore,
    public: &PublicKey,
    cache: NodeCache,
) -> Result<Box<dyn SigningKeeper>, RepositoryError> {
    let mut keeper = with_suite!(public.suite, S => family::keeper::<S>(public, store, cache))?;
    keeper.open()?;
    Ok(keeper)
}
