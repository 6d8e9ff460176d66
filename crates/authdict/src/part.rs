//! Part of a dictionary of any suite: the keys of a range, loaded from servers' proofs.

use core::fmt;

use pad_core::{
    ApplyError, DecodeError, Key, LookupError, Response, SignedHead, Suite, Untrusted, Update,
    Version, codec, codec::Message,
};
use pad_tree::{Difference, KeyHistory, KeyRange, ProvableQuery, TreePart, TreeProof};
pub use pad_tree::{PartError, PartProgress};

use crate::{
    client_view::Heads,
    dictionary::{AnswerError, Dictionary, UnprovedCallback},
    family::not_offered,
    keeper::past_messages,
    keys::PublicKey,
    question::{HeadText, NotOffered, Question},
    selection::{SchemeFamily, with_suite},
};

/// A part of a tree PAD behind messages: a [`TreePart`] of any suite.
///
/// A part answers like [`Dictionary`], byte for byte as a repository of all keys. It returns
/// [`LookupError::NotKept`] if the answer depends on other keys. The contents are in memory only,
/// and have to be loaded again after a restart.
pub trait AnyPart: Dictionary + fmt::Debug + Send + Sync {
    /// The range of keys that are kept.
    fn range(&self) -> &KeyRange;

    /// The oldest version whose contents are kept.
    fn oldest(&self) -> Version;

    /// The latest version whose contents are kept.
    fn latest(&self) -> Version;

    /// The latest version whose head is known.
    fn latest_head(&self) -> Version;

    /// The version that is being loaded.
    fn loading(&self) -> Option<Version>;

    /// The approximate bytes of memory for contents and heads.
    fn memory_bytes(&self) -> usize;

    /// Takes the head of the next version, a [`SignedHead`].
    ///
    /// # Errors
    /// [`NotTaken`].
    fn follow_head(&mut self, head: &[u8]) -> Result<Version, NotTaken>;

    /// Accepts the head in the update to the next version. If a head of that version is known, the
    /// update's head is not checked. Returns the keys of the range that the update names. Nothing
    /// proves that the list contains all changed keys.
    ///
    /// # Errors
    /// [`NotTaken`].
    fn follow_update(&mut self, update: &[u8]) -> Result<(Version, Vec<Key>), NotTaken>;

    /// Begins to load a version ([`TreePart::load`]).
    ///
    /// # Errors
    /// [`NotTaken`].
    fn load(&mut self, version: Version) -> Result<(), NotTaken>;

    /// Accepts the answer to a question about `version`, which must be the version that is being
    /// loaded. The question is about several keys, or a range.
    ///
    /// # Errors
    /// [`NotTaken`]; nothing is changed.
    fn take(
        &mut self,
        version: Version,
        question: &Question,
        answer: &[u8],
    ) -> Result<(), NotTaken>;

    /// Returns a missing range of the version that is being loaded. If nothing is missing, keeps
    /// the version ([`TreePart::progress`]).
    ///
    /// # Errors
    /// [`NotTaken`].
    fn progress(&mut self) -> Result<PartProgress, NotTaken>;

    /// Frees the data of versions whose loading was abandoned ([`TreePart::drop_abandoned`]).
    fn drop_abandoned(&mut self);

    /// Drops the contents of all versions before this one ([`TreePart::prune`]).
    ///
    /// # Errors
    /// [`LookupError`] if the version does not exist.
    fn prune(&mut self, oldest: Version) -> Result<(), LookupError>;
}

/// Error of a part that rejects a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum NotTaken {
    /// The message is malformed.
    #[error("the message cannot be decoded: {0}")]
    Decode(#[from] DecodeError),
    /// The head does not follow the known heads.
    #[error(transparent)]
    Head(#[from] ApplyError),
    /// The proof is invalid, or proves no missing contents.
    #[error(transparent)]
    Part(#[from] PartError),
    /// The version is not the version being loaded.
    #[error("version {0} is not the version being loaded")]
    Superseded(Version),
    /// Parts require a tree PAD, and answers about keys or ranges.
    #[error(transparent)]
    NotOffered(#[from] NotOffered),
}

/// An empty part of the dictionary of this author, for the keys of a range.
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

/// The proof in an answer. The head in the answer is ignored: the proof is checked under the known
/// head.
fn proof_in<S: Suite, Q: ProvableQuery>(
    answer: &[u8],
) -> Result<Untrusted<TreeProof<S, Q>>, DecodeError>
where
    TreeProof<S, Q>: Message,
{
    let answer: Response<S, TreeProof<S, Q>> = codec::decode(answer, answer.len())?;
    Ok(Untrusted::new(answer.proof))
}

/// The answer of a part to a question, as a message.
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

impl<S: Suite> Dictionary for TreePart<S> {
    fn head_text(&self, version: Version) -> Result<HeadText, LookupError> {
        Ok(HeadText::of(&self.heads().head(version)?.head))
    }

    fn head_message(&self, version: Version) -> Result<Vec<u8>, LookupError> {
        Ok(codec::encode(&self.heads().head(version)?))
    }

    fn consistency_message(&self, older: Version, newer: Version) -> Result<Vec<u8>, LookupError> {
        let proof = pad_core::Heads::prove_consistency(self.heads(), older, newer)?;
        Ok(codec::encode(&proof))
    }

    /// Entries can be removed.
    fn append_only_message(&self, _: Version, _: Version) -> Result<Option<Vec<u8>>, LookupError> {
        Ok(None)
    }

    fn past_messages(&self, older: Version, newer: Version) -> Result<Vec<Vec<u8>>, LookupError> {
        past_messages(self.heads(), older, newer)
    }

    fn answer(&self, version: Version, question: &Question) -> Result<Vec<u8>, AnswerError> {
        Ok(match question {
            Question::Key(key) => answer(self, version, key)?,
            Question::Keys(keys) => answer(self, version, keys)?,
            Question::Range(range) => answer(self, version, range)?,
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

    fn proof_body(&self, version: Version, key: &Key) -> Result<Vec<u8>, LookupError> {
        Ok(codec::encode_body(&self.prove(version, key)?))
    }

    /// Always refused: a history needs all versions, and a part does not keep them.
    fn history_page(
        &self,
        _: &Key,
        _: Version,
        _: u64,
    ) -> Result<Untrusted<KeyHistory>, AnswerError> {
        Err(LookupError::NotKept.into())
    }

    /// Always refused, too.
    fn differences(
        &self,
        _: Version,
        _: Version,
        _: &mut UnprovedCallback<'_, Difference>,
    ) -> Result<(), AnswerError> {
        Err(LookupError::NotKept.into())
    }
}

impl Heads for dyn AnyPart {
    type Error = AnswerError;

    fn latest(&self) -> Result<Version, AnswerError> {
        Ok(self.latest_head())
    }

    fn head_message(&self, version: Version) -> Result<Vec<u8>, AnswerError> {
        Ok(Dictionary::head_message(self, version)?)
    }

    fn consistency_message(&self, older: Version, newer: Version) -> Result<Vec<u8>, AnswerError> {
        Ok(Dictionary::consistency_message(self, older, newer)?)
    }

    fn append_only_message(&self, _: Version, _: Version) -> Result<Option<Vec<u8>>, AnswerError> {
        Ok(None)
    }

    fn past_messages(&self, older: Version, newer: Version) -> Result<Vec<Vec<u8>>, AnswerError> {
        Ok(Dictionary::past_messages(self, older, newer)?)
    }
}
