//! A server's memory: the entries of the latest version, and the heads of all.

use core::marker::PhantomData;

use pad_core::{
    ApplyError, DecodeError, HeadLog, InputError, LookupError, Repository, SignedHead, Suite,
    Update, VerifyError, Version, codec, head::Authority,
};

use crate::{
    contents::Contents,
    entry::{self, DIRECTORY, EntryId},
    hint::{Chain, MOST_STEP, ShortCircuit},
    message::{
        DirectoryAnswer, EntryRequest, Evidence, LONGEST_RANGE_REQUEST, LONGEST_REQUEST, News,
        RangeRequest,
    },
    operations,
    proof::{DirectoryProof, EntryProof},
    query::{EntryQuery, MOST_RANGE, Selection},
    shape,
};

/// A server of a directory. It holds no key, and nobody trusts it. It answers about its latest version only; older roots stay
/// provable by the heads.
///
/// In memory: about three digests for each entry. The step is that of hints ([`crate::hint`]).
#[derive(Clone, Debug)]
pub struct BlockDirectory<S: Suite> {
    contents: Contents<S>,
    heads: HeadLog<S>,
    step: u32,
}

/// Why a request has no answer; the client is told outside of the format.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RequestError {
    /// The bytes are not a request.
    #[error(transparent)]
    Decode(#[from] DecodeError),
    /// The client knows a newer version than this server, or asks for more than it answers.
    #[error(transparent)]
    Lookup(#[from] LookupError),
}

impl<S: Suite> BlockDirectory<S> {
    /// A server without versions, for the updates of one author and directory.
    ///
    /// # Errors
    /// [`VerifyError::InvalidQuery`] for a step outside `1..=12`; [`VerifyError::WrongScheme`] for an author of another scheme.
    pub fn new(authority: Authority, step: u32) -> Result<Self, VerifyError> {
        if authority.scheme != DIRECTORY {
            return Err(VerifyError::WrongScheme {
                expected: DIRECTORY.0,
                actual: authority.scheme.0,
            });
        }
        if !(1..=MOST_STEP).contains(&step) {
            return Err(VerifyError::InvalidQuery);
        }
        Ok(Self {
            contents: Contents::default(),
            heads: HeadLog::new(authority),
            step,
        })
    }

    /// A server of version 1 of a directory that was loaded at once: no update of its size exists.
    ///
    /// `objects` are the digests of all entries in order. Time: two hashes for each.
    ///
    /// # Errors
    /// [`ApplyError`]: [`InputError::ReservedDigest`], [`InputError::CapacityExceeded`], a head that is not the author's of
    /// version 1, [`ApplyError::RootMismatch`].
    pub fn load(
        mut self,
        head: &SignedHead<S>,
        objects: impl IntoIterator<Item = S::Digest>,
    ) -> Result<Self, ApplyError> {
        self.heads.check(Version::EMPTY, head)?;
        let mut contents = Contents::default();
        for object in objects {
            if entry::is_reserved(&object) {
                return Err(InputError::ReservedDigest.into());
            }
            if contents.registered() == entry::MOST_ENTRIES {
                return Err(InputError::CapacityExceeded.into());
            }
            contents.push(object);
        }
        if contents.root() != head.head.root {
            return Err(ApplyError::RootMismatch);
        }
        self.contents = contents;
        self.heads.append(head);
        Ok(self)
    }

    /// The heads of all versions, which prove how they continue each other.
    pub const fn heads(&self) -> &HeadLog<S> {
        &self.heads
    }

    /// The latest version.
    pub fn latest(&self) -> Version {
        self.heads.latest()
    }

    /// The number of entries ever registered.
    pub fn registered(&self) -> u64 {
        self.contents.registered()
    }

    pub(crate) const fn contents(&self) -> &Contents<S> {
        &self.contents
    }

    /// Verifies an update and makes it the latest version.
    ///
    /// # Errors
    /// [`ApplyError`]; the directory is then as it was.
    pub fn apply(&mut self, update: &Update<S>) -> Result<Version, ApplyError> {
        self.heads.check(update.base, &update.head)?;
        let changes = operations::decode::<S>(&update.operations)?;
        let before = self.contents.registered();
        let registered = operations::check(&changes, before, |id| self.contents.shown(id))?;
        let overlay = self.contents.plan(changes, registered);
        if self.contents.root_with(&overlay) != update.head.head.root {
            return Err(ApplyError::RootMismatch);
        }
        self.contents.commit(overlay);
        self.heads.append(&update.head);
        Ok(self.latest())
    }

    /// The proof of the entries that are asked for, in the latest version.
    ///
    /// Time: one digest copied for each level and id.
    ///
    /// # Errors
    /// [`LookupError::InvalidQuery`] for a range of more than [`MOST_RANGE`] registered entries.
    pub fn prove_latest<Q: Selection>(
        &self,
        query: &Q,
    ) -> Result<DirectoryProof<S, Q>, LookupError> {
        let asked = query.below(self.contents.registered());
        if asked.len() > MOST_RANGE {
            return Err(LookupError::InvalidQuery);
        }
        let opened = self.contents.open(asked);
        Ok(DirectoryProof {
            registered: self.contents.registered(),
            shown: opened.shown,
            siblings: opened.siblings,
            question: PhantomData,
        })
    }

    /// The answer to a request for entries or a range, as a message; about the latest version.
    ///
    /// # Errors
    /// [`RequestError`].
    pub fn answer(&self, request: &[u8]) -> Result<Vec<u8>, RequestError> {
        let answer = match codec::decode::<EntryRequest<S>>(request, LONGEST_REQUEST) {
            Ok(request) => self.answer_entries(&request)?,
            Err(DecodeError::WrongKind { .. }) => {
                self.answer_range(&codec::decode(request, LONGEST_RANGE_REQUEST)?)?
            }
            Err(error) => return Err(error.into()),
        };
        Ok(codec::encode(&answer))
    }

    /// The answer to a request for entries.
    ///
    /// # Errors
    /// [`LookupError::UnknownVersion`] for a client that knows a newer version than this server.
    pub fn answer_entries(
        &self,
        request: &EntryRequest<S>,
    ) -> Result<DirectoryAnswer<S>, LookupError> {
        let news = self.news(request.known())?;
        let single = request.ids().single();
        let short = single
            .zip(request.chain())
            .and_then(|(id, chain)| self.short_circuit(id, chain));
        let evidence = match short {
            Some(short) => Evidence::Short(short),
            None => Evidence::Entries(self.prove_latest(request.ids())?),
        };
        Ok(DirectoryAnswer { news, evidence })
    }

    /// The answer to a request for a range.
    ///
    /// # Errors
    /// [`LookupError::UnknownVersion`] for a client that knows a newer version than this server;
    /// [`LookupError::InvalidQuery`] for a range of more than [`MOST_RANGE`] registered entries.
    pub fn answer_range(
        &self,
        request: &RangeRequest<S>,
    ) -> Result<DirectoryAnswer<S>, LookupError> {
        let news = self.news(request.known)?;
        let evidence = Evidence::Range(self.prove_latest(&request.range)?);
        Ok(DirectoryAnswer { news, evidence })
    }

    /// The latest head, if the client does not know it.
    fn news(&self, known: Version) -> Result<Option<News<S>>, LookupError> {
        self.heads.require(known)?;
        let latest = self.latest();
        if known == latest {
            return Ok(None);
        }
        let consistency = match known {
            Version::EMPTY => None,
            known => Some(self.heads.prove_consistency(known, latest)?),
        };
        let head = self.heads.head(latest)?;
        Ok(Some(News { head, consistency }))
    }

    /// The upper part of the proof of an entry, down to the first subtree that the chain has.
    ///
    /// Only closed subtrees are compared, and only for a registered entry: the chain is a stranger's word.
    fn short_circuit(&self, id: EntryId, chain: &Chain<S>) -> Option<ShortCircuit<S>> {
        let (id, registered) = (id.number(), self.contents.registered());
        if chain.step != self.step || id >= registered {
            return None;
        }
        let heights = (1_u32..).filter_map(|j| j.checked_mul(self.step));
        let offered: Vec<_> = heights.zip(&chain.digests).collect();
        let below_the_top = |height: u32| registered > 1_u64.unbounded_shl(height);
        let matches = |height: u32, digest: &S::Digest| {
            shape::is_closed(id, height, registered)
                && below_the_top(height)
                && self.contents.closed(id, height) == *digest
        };
        let mut from_the_top = offered.into_iter().rev();
        let (height, _) = from_the_top.find(|(height, digest)| matches(*height, digest))?;
        let mut siblings = self.contents.open(shape::Asked::Ids(&[id])).siblings;
        let above = siblings.len().checked_sub(usize::try_from(height).ok()?)?;
        siblings.truncate(above);
        Some(ShortCircuit {
            registered,
            height,
            siblings,
        })
    }
}

impl<S: Suite> Repository for BlockDirectory<S> {
    type Suite = S;
    type Attachment = ();
    type Query = EntryQuery;
    type Proof = EntryProof<S>;

    fn latest(&self) -> Version {
        Self::latest(self)
    }

    /// The latest: blocks are changed in place.
    fn oldest(&self) -> Version {
        Self::latest(self)
    }

    fn apply(&mut self, update: &Update<S>) -> Result<Version, ApplyError> {
        Self::apply(self, update)
    }

    fn head(&self, version: Version) -> Result<SignedHead<S>, LookupError> {
        self.heads.head(version)
    }

    fn prove(&self, version: Version, query: &EntryQuery) -> Result<EntryProof<S>, LookupError> {
        self.heads.require(version)?;
        let oldest = self.latest();
        if version < oldest {
            return Err(LookupError::Pruned { version, oldest });
        }
        self.prove_latest(query)
    }
}
