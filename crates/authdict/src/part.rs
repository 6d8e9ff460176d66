//! Partial copies of a dictionary of any suite: the keys of one range, loaded from servers' proofs.

use core::fmt;

use pad_core::{
    ApplyError, DecodeError, First, Key, KeyRange, Last, LookupError, Response, SignedHead, Suite,
    Untrusted, Update, Version, codec, codec::Message,
};
use pad_tree::{KeyHistory, TreePart, TreeProof, internals::ProvableQuery};
pub use pad_tree::{PartError, PartProgress};

use crate::{
    dictionary::{AnswerError, Dictionary},
    family::not_offered,
    heads::Heads,
    keeper::past_messages,
    keys::PublicKey,
    question::{NotOffered, Question},
    selection::{SchemeFamily, with_suite},
};

/// A part of a tree PAD, queried through messages: a [`TreePart`] of any suite.
///
/// A part answers like [`Dictionary`]. Its answers are equal, byte for byte, to the answers of a
/// repository of all keys. It returns [`LookupError::NotKept`] if the answer depends on keys
/// outside its range. The contents are in memory only, and have to be loaded again after a restart.
pub trait AnyPart: Dictionary + fmt::Debug + Send + Sync {
    /// Returns the range of keys that this part contains.
    fn range(&self) -> &KeyRange;

    /// Returns the oldest version whose contents are complete in this part.
    fn oldest(&self) -> Version;

    /// Returns the latest version whose contents are complete in this part.
    fn latest(&self) -> Version;

    /// Returns the latest version whose signed head this part has verified and stored.
    fn latest_head(&self) -> Version;

    /// Returns the version that is being loaded, if there is one.
    fn loading(&self) -> Option<Version>;

    /// Returns the approximate bytes of memory for contents and heads.
    fn memory_bytes(&self) -> usize;

    /// Verifies and stores the signed head of the next version. `head` is the message of a
    /// [`SignedHead`].
    ///
    /// # Errors
    /// [`NotTaken`].
    fn follow_head(&mut self, head: &[u8]) -> Result<Version, NotTaken>;

    /// Verifies and stores the signed head in the update to the next version. If a head of the
    /// update's version is already stored, the update's head is not checked. Returns the version,
    /// and the keys in the part's range that the update names. The list is not proved to contain
    /// all changed keys.
    ///
    /// # Errors
    /// [`NotTaken`].
    fn follow_update(&mut self, update: &[u8]) -> Result<(Version, Vec<Key>), NotTaken>;

    /// Begins to load a version ([`TreePart::load`]).
    ///
    /// # Errors
    /// [`NotTaken`].
    fn load(&mut self, version: Version) -> Result<(), NotTaken>;

    /// Verifies the answer to a question about `version`, and stores the proved contents. `version`
    /// must be the version that is being loaded. The question must be about several keys or a
    /// range.
    ///
    /// # Errors
    /// [`NotTaken`]. Nothing is changed after an error.
    fn take(
        &mut self,
        version: Version,
        question: &Question,
        answer: &[u8],
    ) -> Result<(), NotTaken>;

    /// Returns a key range whose contents are still missing in the version being loaded. If nothing
    /// is missing, marks the version as complete ([`TreePart::progress`]).
    ///
    /// # Errors
    /// [`NotTaken`].
    fn progress(&mut self) -> Result<PartProgress, NotTaken>;

    /// Frees the data of versions whose loading was abandoned ([`TreePart::drop_abandoned`]).
    fn drop_abandoned(&mut self);

    /// Drops the contents of all versions before `oldest` ([`TreePart::prune`]).
    ///
    /// # Errors
    /// [`LookupError`] if the version does not exist.
    fn prune(&mut self, oldest: Version) -> Result<(), LookupError>;
}

/// Error returned by a part that rejects a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum NotTaken {
    /// The message is malformed.
    #[error("the message cannot be decoded: {0}")]
    Decode(#[from] DecodeError),
    /// The head does not follow the heads that the part has stored, or its signature is invalid.
    #[error(transparent)]
    Head(#[from] ApplyError),
    /// The proof is invalid, or it proves no contents that are missing.
    #[error(transparent)]
    Part(#[from] PartError),
    /// The answer is about this version, but the part is loading another version.
    #[error("version {0} is not the version being loaded")]
    Superseded(Version),
    /// The dictionary's scheme is not a tree scheme, or the question is not about several keys or a
    /// range.
    #[error(transparent)]
    NotOffered(#[from] NotOffered),
}

/// Creates an empty part of the dictionary with this public key, for the keys of `range`.
///
/// # Errors
/// [`NotTaken::NotOffered`] unless the dictionary is a tree PAD; [`PartError::EmptyRange`].
pub fn part(public: &PublicKey, range: KeyRange) -> Result<Box<dyn AnyPart>, NotTaken> {
    if public.scheme.family() != SchemeFamily::Tree {
        let (what, scheme) = ("parts with some of the keys", public.scheme.id());
        return Err(NotOffered { what, scheme }.into());
    }
    Ok(with_suite!(public.suite, S => Box::new(TreePart::<S>::new(public.authority, range)?)))
}

impl<S: Suite> AnyPart for TreePart<S> {
    fn range(&self) -> &KeyRange {
        self.range()
    }

    fn oldest(&self) -> Version {
        self.oldest()
    }

    fn latest(&self) -> Version {
        self.latest()
    }

    fn latest_head(&self) -> Version {
        self.heads().latest()
    }

    fn loading(&self) -> Option<Version> {
        self.loading()
    }

    fn memory_bytes(&self) -> usize {
        self.memory_bytes()
    }

    fn follow_head(&mut self, head: &[u8]) -> Result<Version, NotTaken> {
        let head: SignedHead<S> = codec::decode(head, head.len())?;
        Ok(self.follow_head(&head)?)
    }

    fn follow_update(&mut self, update: &[u8]) -> Result<(Version, Vec<Key>), NotTaken> {
        let update: Update<S> = codec::decode(update, update.len())?;
        let version = update.head.head.version;
        let keys = if version <= AnyPart::latest_head(self) {
            self.changed_keys(&update)
        } else {
            self.follow(&update)?
        };
        Ok((version, keys))
    }

    fn load(&mut self, version: Version) -> Result<(), NotTaken> {
        Ok(self.load(version)?)
    }

    fn take(
        &mut self,
        version: Version,
        question: &Question,
        answer: &[u8],
    ) -> Result<(), NotTaken> {
        if self.loading() != Some(version) {
            return Err(NotTaken::Superseded(version));
        }
        match question {
            Question::Keys(keys) => self.take_keys(keys, proof_in(answer)?)?,
            Question::Range(range) => self.take_range(range, proof_in(answer)?)?,
            question => {
                return Err(not_offered(question, self.heads().authority().scheme).into());
            }
        }
        Ok(())
    }

    fn progress(&mut self) -> Result<PartProgress, NotTaken> {
        Ok(self.progress()?)
    }

    fn drop_abandoned(&mut self) {
        self.drop_abandoned();
    }

    fn prune(&mut self, oldest: Version) -> Result<(), LookupError> {
        self.prune(oldest)
    }
}

/// Decodes the proof in a server's answer. The head in the answer is ignored, because the part
/// checks the proof against its stored head of the version.
fn proof_in<S: Suite, Q: ProvableQuery>(
    answer: &[u8],
) -> Result<Untrusted<TreeProof<S, Q>>, DecodeError>
where
    TreeProof<S, Q>: Message,
{
    let answer: Response<S, TreeProof<S, Q>> = codec::decode(answer, answer.len())?;
    Ok(Untrusted::new(answer.proof))
}

/// Encodes a part's answer to a question as a message.
fn answer<S: Suite, Q: ProvableQuery>(
    part: &TreePart<S>,
    version: Version,
    query: &Q,
) -> Result<Vec<u8>, LookupError>
where
    TreeProof<S, Q>: Message,
{
    let proof = part.prove_query(version, query)?;
    let head = match version {
        Version::EMPTY => None,
        version => Some(part.heads().head(version)?),
    };
    Ok(codec::encode(&Response { head, proof }))
}

impl<S: Suite> Heads for TreePart<S> {
    type Error = LookupError;

    fn offered(&self) -> Result<Version, LookupError> {
        Ok(self.heads().latest())
    }

    fn head_message(&self, version: Version) -> Result<Vec<u8>, LookupError> {
        Ok(codec::encode(&self.heads().head(version)?))
    }

    fn consistency_message(&self, older: Version, newer: Version) -> Result<Vec<u8>, LookupError> {
        let proof = pad_core::Heads::prove_consistency(self.heads(), older, newer)?;
        Ok(codec::encode(&proof))
    }

    fn append_only_message(&self, _: Version, _: Version) -> Result<Option<Vec<u8>>, LookupError> {
        Ok(None)
    }

    fn past_messages(&self, older: Version, newer: Version) -> Result<Vec<Vec<u8>>, LookupError> {
        past_messages(self.heads(), older, newer)
    }
}

impl<S: Suite> Dictionary for TreePart<S> {
    fn answer(&self, version: Version, question: &Question) -> Result<Vec<u8>, AnswerError> {
        Ok(match question {
            Question::Key(key) => answer(self, version, key)?,
            Question::Keys(keys) => answer(self, version, keys)?,
            Question::Range(range) => answer(self, version, range)?,
            Question::First => answer(self, version, &First)?,
            Question::Last => answer(self, version, &Last)?,
            Question::Predecessor(question) => answer(self, version, question)?,
            Question::Successor(question) => answer(self, version, question)?,
            question => {
                return Err(not_offered(question, self.heads().authority().scheme).into());
            }
        })
    }

    fn page(
        &self,
        version: Version,
        range: &KeyRange,
        bytes: usize,
    ) -> Result<KeyRange, AnswerError> {
        Ok(self.page(version, range, bytes)?)
    }

    /// Always fails, because a history needs all versions, and a part does not contain them.
    fn history_page(
        &self,
        _: &Key,
        _: Version,
        _: u64,
    ) -> Result<Untrusted<KeyHistory>, AnswerError> {
        Err(LookupError::NotKept.into())
    }
}
