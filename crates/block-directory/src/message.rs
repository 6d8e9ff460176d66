//! Requests to a server of a directory and its answers: messages of kinds 165 to 167.

use alloc::vec::Vec;

use pad_core::{
    ConsistencyProof, DecodeError, SignedHead, Suite, VerifyError, Version,
    codec::{self, Message},
};
use serde::{Deserialize, Serialize};

use crate::{
    hint::{Chain, LONGEST_HINT, MOST_STEP, ShortCircuit},
    proof::{EntryProof, RangeProof},
    query::{EntryQuery, EntryRange, Selection},
};

/// The maximum length of a look-up request in bytes.
#[cfg(feature = "std")]
pub(crate) const LONGEST_REQUEST: usize = 16_384;
/// The maximum length of a range request in bytes.
#[cfg(feature = "std")]
pub(crate) const LONGEST_RANGE_REQUEST: usize = 64;
/// The maximum length in bytes of a head with the proof that it continues an older head.
const LONGEST_NEWS: usize = 8192;
/// The maximum number of digests of a chain (subtree digests offered from a hint).
const MOST_CHAIN: usize = 48;

/// A request for entries by their ids. For a single id, it may contain a chain (subtree digests
/// from a [`Hint`](crate::Hint)). Message kind 165.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(bound = "", try_from = "UncheckedRequest<S>")]
pub struct EntryRequest<S: Suite> {
    known: Version,
    ids: EntryQuery,
    chain: Option<Chain<S>>,
}

#[derive(Deserialize)]
#[serde(bound = "")]
struct UncheckedRequest<S: Suite> {
    known: Version,
    ids: EntryQuery,
    chain: Option<Chain<S>>,
}

impl<S: Suite> TryFrom<UncheckedRequest<S>> for EntryRequest<S> {
    type Error = VerifyError;

    fn try_from(unchecked: UncheckedRequest<S>) -> Result<Self, VerifyError> {
        let UncheckedRequest { known, ids, chain } = unchecked;
        Self::new(known, ids, chain)
    }
}

impl<S: Suite> EntryRequest<S> {
    /// Creates a request of a client whose newest known version is `known`.
    ///
    /// # Errors
    /// [`VerifyError::InvalidQuery`] for a chain with several ids, of more than 48 digests, or with
    /// a step outside `1..=12`.
    pub fn new(
        known: Version,
        ids: EntryQuery,
        chain: Option<Chain<S>>,
    ) -> Result<Self, VerifyError> {
        let fits = |chain: &Chain<S>| {
            let step = (1..=MOST_STEP).contains(&chain.step);
            step && chain.digests.len() <= MOST_CHAIN && ids.single().is_some()
        };
        if chain.as_ref().is_none_or(fits) {
            Ok(Self { known, ids, chain })
        } else {
            Err(VerifyError::InvalidQuery)
        }
    }

    /// Returns the newest version that the client has seen; version 0 for none.
    pub const fn known(&self) -> Version {
        self.known
    }

    /// Returns the requested ids.
    pub const fn ids(&self) -> &EntryQuery {
        &self.ids
    }

    /// Returns the chain that the client offers from a hint, if any.
    pub const fn chain(&self) -> Option<&Chain<S>> {
        self.chain.as_ref()
    }
}

impl<S: Suite> Message for EntryRequest<S> {
    const KIND: u8 = 165;
    const SUITE: u16 = S::ID.0;
}

/// A request for a range of ids. Message kind 167.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(bound = "")]
pub struct RangeRequest<S: Suite> {
    /// The newest version that the client has seen; version 0 for none.
    pub known: Version,
    /// The requested range of ids.
    pub range: EntryRange,
    #[serde(skip)]
    pub(crate) suite: core::marker::PhantomData<S>,
}

impl<S: Suite> RangeRequest<S> {
    /// Creates a request of a client whose newest known version is `known`.
    pub const fn new(known: Version, range: EntryRange) -> Self {
        Self {
            known,
            range,
            suite: core::marker::PhantomData,
        }
    }
}

impl<S: Suite> Message for RangeRequest<S> {
    const KIND: u8 = 167;
    const SUITE: u16 = S::ID.0;
}

/// A head that the client did not know, and the proof that it continues the head known to the
/// client.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(bound = "")]
pub(crate) struct News<S: Suite> {
    pub(crate) head: SignedHead<S>,
    pub(crate) consistency: Option<ConsistencyProof<S>>,
}

/// An answer about the server's latest version. Message kind 166.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(bound = "")]
pub struct DirectoryAnswer<S: Suite> {
    pub(crate) news: Option<News<S>>,
    pub(crate) evidence: Evidence<S>,
}

impl<S: Suite> Message for DirectoryAnswer<S> {
    const KIND: u8 = 166;
    const SUITE: u16 = S::ID.0;
    const INJECTIVE: bool = true;
}

/// The proof in an answer. The order of the variants is part of the message format.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(bound = "")]
pub(crate) enum Evidence<S: Suite> {
    Entries(EntryProof<S>),
    Short(ShortCircuit<S>),
    Range(RangeProof<S>),
}

/// The number of the variant [`Evidence::Entries`] in a message.
const ENTRIES: u32 = 0;
/// The number of the variant [`Evidence::Short`] in a message.
const SHORT: u32 = 1;
/// The number of the variant [`Evidence::Range`] in a message.
const RANGE: u32 = 2;

/// The forms (variants of [`Evidence`]) that the answer to a request may have, with their maximum
/// lengths.
pub(crate) struct ExpectedForms {
    forms: Vec<(u32, usize)>,
}

impl ExpectedForms {
    /// Returns the forms for a look-up. If the client offers a chain from a hint, the answer may
    /// also be [`Evidence::Short`].
    pub(crate) fn entries(query: &EntryQuery, has_chain: bool) -> Self {
        let mut forms = Vec::from([(ENTRIES, query.longest_proof())]);
        if has_chain {
            forms.push((SHORT, LONGEST_HINT));
        }
        Self { forms }
    }

    /// Returns the form for a range request.
    pub(crate) fn range(range: &EntryRange) -> Self {
        let forms = Vec::from([(RANGE, range.longest_proof())]);
        Self { forms }
    }

    /// Decodes the beginning of an answer, and checks that the request allows the answer's form and
    /// length. Returns the new head, if any, and the whole body; the proof in it is not decoded
    /// yet.
    pub(crate) fn begin<'a, S: Suite>(
        &self,
        answer: &'a [u8],
    ) -> Result<(Option<News<S>>, &'a [u8]), AnswerFormError> {
        let longest = self.forms.iter().map(|(_, longest)| *longest).max();
        let limit = longest.unwrap_or(0).saturating_add(LONGEST_NEWS);
        let (kind, suite) = (DirectoryAnswer::<S>::KIND, S::ID.0);
        let body = codec::open(answer, kind, suite, limit)?;
        let (news, variant): (Option<News<S>>, u32) =
            codec::decode_start(body.get(..LONGEST_NEWS).unwrap_or(body))?;
        let allowed = self.forms.iter().find(|(form, _)| *form == variant);
        let (_, longest) = *allowed.ok_or(AnswerFormError::Form)?;
        let limit = longest.saturating_add(LONGEST_NEWS);
        if answer.len() > limit {
            return Err(DecodeError::TooLarge { limit }.into());
        }
        Ok((news, body))
    }
}

/// The reason for which a client does not decode an answer any further.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum AnswerFormError {
    Decode(DecodeError),
    Form,
}

impl From<DecodeError> for AnswerFormError {
    fn from(error: DecodeError) -> Self {
        Self::Decode(error)
    }
}
