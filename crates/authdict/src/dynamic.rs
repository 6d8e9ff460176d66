//! Repositories and authors whose suite and scheme are chosen by name at run time.
//!
//! Each suite and each scheme is a type, and a store's records name them. A repository is opened as
//! a `dyn OfferedRepository`, so the code around it is compiled once.

use std::path::Path;

use pad_core::{DecodeError, Version};
use pad_tree::NodeCache;

use crate::{
    author::{AuthorError, RecordedAuthor},
    client_view::StoredView,
    durable::Durable,
    family,
    kept_log::MISSING,
    keys::{PublicKey, SecretKey},
    question::{NotOffered, Question, Refusal, Statement},
    repository::RepositoryError,
    selection::{SchemeFamily, with_suite},
    signing_record::SigningRecord,
    store::{StoreError, any::AnyStore},
};
pub use crate::{
    description::{create_store, create_store_with, key_of_store, store_records},
    offered::{AnyClient, OfferedRepository},
};

/// The client that trusts this public key.
///
/// Time: that of checking the scheme's own key, which is long for accumulators.
///
/// # Errors
/// [`Refusal::Decode`] if the scheme's own key is missing or malformed; [`Refusal::NotOffered`] for
/// directories, which have ids and a client of their own.
pub fn client(public: &PublicKey) -> Result<Box<dyn AnyClient>, Refusal> {
    if public.scheme.family() == SchemeFamily::Directory {
        let (what, scheme) = ("questions about keys", public.scheme.id());
        return Err(NotOffered { what, scheme }.into());
    }
    let client = with_suite!(public.suite, S => family::client::<S>(public));
    client.ok_or(Refusal::Decode(DecodeError::Malformed))
}

/// The client that trusts the public key of a view, and has seen the view's newest head. It refuses
/// versions newer than the view ([`Refusal::Ahead`]), unless the view has seen none.
///
/// [`StoredView::check_past`] ties its answers about older versions of a log to the view.
///
/// # Errors
/// Those of [`client`] and of [`AnyClient::resume`].
pub fn client_of(view: &StoredView) -> Result<Box<dyn AnyClient>, Refusal> {
    let mut client = client(view.public())?;
    client.resume(view.seen())?;
    let followed = view.version();
    Ok(Box::new(FollowedClient { client, followed }))
}

/// A client that refuses versions newer than the one it has followed.
struct FollowedClient {
    client: Box<dyn AnyClient>,
    followed: Version,
}

impl AnyClient for FollowedClient {
    fn check_at(
        &self,
        version: Version,
        question: &Question,
        answer: &[u8],
    ) -> Result<Statement, Refusal> {
        let followed = self.followed;
        if Version::EMPTY < followed && followed < version {
            return Err(Refusal::Ahead { version, followed });
        }
        self.client.check_at(version, question, answer)
    }

    fn resume(&mut self, seen: &[u8]) -> Result<(), Refusal> {
        self.client.resume(seen)
    }
}

/// Verifies an answer with the public key alone, and returns what it establishes.
///
/// `answer` is the message of a [`pad_core::Response`]. For many answers, make the [`client`] once.
///
/// # Errors
/// [`Refusal`].
pub fn verify(
    public: &PublicKey,
    version: Version,
    question: &Question,
    answer: &[u8],
) -> Result<Statement, Refusal> {
    client(public)?.check_at(version, question, answer)
}

/// The longest answer to a question that a client reads, in bytes.
pub fn longest_answer(public: &PublicKey, question: &Question) -> usize {
    #[cfg(feature = "log")]
    if public.scheme.family().is_append_only() {
        return family::log::LONGEST_ANSWER;
    }
    let _ = public;
    question.longest_answer()
}

/// A durable repository of any suite and scheme.
pub type AnyRepository = Durable<dyn OfferedRepository, AnyStore>;

/// A durable author of any suite and scheme.
pub type AnyAuthor = RecordedAuthor<dyn OfferedRepository, AnyStore>;

impl AnyRepository {
    /// The public key of the dictionary, by the store's records.
    ///
    /// # Errors
    /// [`StoreError`].
    pub fn public_key(&self) -> Result<PublicKey, StoreError> {
        key_of_store(self.store())
    }

    /// The bytes of the store's files.
    ///
    /// # Errors
    /// [`StoreError`] of the medium.
    pub fn file_bytes(&self) -> Result<u64, StoreError> {
        let beside = self.memory().file_bytes()?;
        Ok(self.store().file_bytes()?.saturating_add(beside))
    }
}

/// Opens the repository in a store.
///
/// # Errors
/// [`RepositoryError`].
pub fn open_repository(path: &Path) -> Result<AnyRepository, RepositoryError> {
    open_repository_with(path, NodeCache::default())
}

/// Like [`open_repository`], with `cache` for nodes of stores that keep them on a medium. A cache
/// that is reused already has the nodes read before.
///
/// # Errors
/// [`RepositoryError`], with [`StoreError::TooLarge`] if the latest version should be in memory and
/// exceeds the limit.
pub fn open_repository_with(
    path: &Path,
    cache: impl Into<NodeCache>,
) -> Result<AnyRepository, RepositoryError> {
    Ok(opened(path, &cache.into())?.0)
}

/// Opens the repository in a store that is open already.
///
/// # Errors
/// [`RepositoryError`].
pub fn open_repository_in(store: AnyStore) -> Result<AnyRepository, RepositoryError> {
    open_repository_in_with(store, &NodeCache::default())
}

/// Like [`open_repository_in`], with `cache` for nodes.
///
/// # Errors
/// Those of [`open_repository_with`].
pub fn open_repository_in_with(
    store: AnyStore,
    cache: &NodeCache,
) -> Result<AnyRepository, RepositoryError> {
    let public = key_of_store(&store)?;
    open(store, &public, cache)
}

/// The repository in a store, and the public key in the store's records.
fn opened(path: &Path, cache: &NodeCache) -> Result<(AnyRepository, PublicKey), RepositoryError> {
    let open = || {
        let store = AnyStore::open(path)?;
        let public = key_of_store(&store)?;
        Ok((open(store, &public, cache)?, public))
    };
    match open() {
        // Another process may have pruned between the reads of the store and of its file of nodes.
        Err(RepositoryError::Store(StoreError::Damaged(MISSING))) => open(),
        opened => opened,
    }
}

/// Opens a store as its author, with `record` as the record of signed heads.
///
/// # Errors
/// [`AuthorError`]. [`AuthorError::Repository`] with [`StoreError::NotSignedFor`] for a store in
/// objects, and with [`StoreError::Damaged`] also if the key is not of this store. For a clearer
/// error, compare [`AnyRepository::public_key`] first.
pub fn open_author(
    path: &Path,
    key: &SecretKey,
    record: SigningRecord,
) -> Result<AnyAuthor, AuthorError> {
    let (repository, public) = opened(path, &NodeCache::default())?;
    if repository.store().file().is_none() {
        return Err(RepositoryError::from(StoreError::NotSignedFor).into());
    }
    if public != *key.public() {
        let other = StoreError::Damaged("the key is of another dictionary");
        return Err(RepositoryError::from(other).into());
    }
    RecordedAuthor::new(repository, Some(record), |memory| memory.resume(key))
}

fn open(
    store: AnyStore,
    public: &PublicKey,
    cache: &NodeCache,
) -> Result<AnyRepository, RepositoryError> {
    let mut empty = with_suite!(public.suite, S => family::repository::<S>(public, &store))?;
    empty.use_cache(cache);
    Durable::open_into(store, empty)
}
