//! The server of a directory: it stores the entries of the latest version, and the heads of all
//! versions.

use core::marker::PhantomData;

use pad_core::{
    ApplyError, Authority, DecodeError, HeadLog, Heads as _, InputError, LookupError, Repository,
    SignedHead, StoreFault, Suite, Update, VerifyError, Version, codec, internals::UpdateHead,
};

use crate::{
    blocks::{Blocks, Plan, grid::to_u64},
    entry::{EntryId, require_directory},
    hint::{Chain, MOST_STEP, ShortCircuit},
    message::{
        DirectoryAnswer, EntryRequest, Evidence, LONGEST_RANGE_REQUEST, LONGEST_REQUEST, News,
        RangeRequest,
    },
    operations::{self, EntryChanges},
    proof::{DirectoryProof, EntryProof},
    query::{EntryQuery, MOST_RANGE, Selection, sealed},
    shape,
    store::journal::Journal,
};

/// A server of a directory. It has no key, and clients need not trust it. It answers about its
/// latest version only. The heads still prove the roots of older versions.
///
/// Memory: about two digests for each entry, or the [`CacheBudget`](crate::CacheBudget) for a
/// directory in files. The height of its blocks (`step`) is also the step of hints
/// ([`Hint`](crate::Hint)).
#[derive(Debug)]
pub struct BlockDirectory<S: Suite> {
    pub(crate) blocks: Blocks<S>,
    heads: HeadLog<S>,
    pub(crate) journal: Option<Journal>,
    most_in_range: u64,
}

/// An update that [`BlockDirectory::check_update`] has verified, with its result.
#[derive(Debug)]
pub struct CheckedUpdate<S: Suite> {
    update: Update<S>,
    /// The root of the directory that the update was checked against.
    base: S::Digest,
    /// The update's result; `None` once it was applied.
    plan: Option<Plan<S>>,
}

/// Error returned when the server has no answer to a request. The format contains no error
/// messages, so the caller must tell the client.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RequestError {
    /// The bytes are not an encoded request.
    #[error(transparent)]
    Decode(#[from] DecodeError),
    /// The client knows a newer version than this server, or asks for more than the server's limit,
    /// or the store cannot be read.
    #[error(transparent)]
    Lookup(#[from] LookupError),
}

impl<S: Suite> BlockDirectory<S> {
    /// Creates an empty server for the updates of one author and directory. Its blocks have
    /// `2^step` slots.
    ///
    /// # Errors
    /// [`VerifyError::InvalidQuery`] for a step outside `1..=12`; [`VerifyError::WrongScheme`] for
    /// an author of another scheme.
    pub fn new(authority: Authority, step: u32) -> Result<Self, VerifyError> {
        check_parameters(&authority, step)?;
        Ok(Self::of_parts(
            Blocks::new(step),
            HeadLog::new(authority),
            None,
        ))
    }

    pub(crate) const fn of_parts(
        blocks: Blocks<S>,
        heads: HeadLog<S>,
        journal: Option<Journal>,
    ) -> Self {
        Self {
            blocks,
            heads,
            journal,
            most_in_range: MOST_RANGE,
        }
    }

    /// Refuses requests for more than `most` registered entries of a range. An answer contains 33
    /// bytes for each entry, and any client can request it with a message of at most 64 bytes. The
    /// format allows `2^20`; a greater `most` has no effect.
    #[doc(hidden)]
    pub fn limit_ranges(&mut self, most: u64) {
        self.most_in_range = most.min(MOST_RANGE);
    }

    /// Loads version 1 of a directory in one pass. `head` is its head, signed by the author. The
    /// server has no update to a loaded version.
    ///
    /// `objects` are the digests of all entries in order. Time: two hashes for each entry.
    ///
    /// # Errors
    /// - [`InputError::ReservedDigest`](pad_core::InputError::ReservedDigest) if an object has the
    ///   digest of zeros; [`InputError::CapacityExceeded`](pad_core::InputError::CapacityExceeded)
    ///   for too many objects.
    /// - [`ApplyError`] if `head` is not the author's head of version 1.
    /// - [`ApplyError::RootMismatch`] if the objects do not hash to the signed root.
    /// - [`ApplyError::VersionGap`] for a directory that has a version.
    /// - [`ApplyError::Store`] for a directory in files.
    pub fn load(
        mut self,
        head: &SignedHead<S>,
        objects: impl IntoIterator<Item = S::Digest>,
    ) -> Result<Self, ApplyError> {
        if self.journal.is_some() {
            return Err(StoreFault::LoadedWhenMade.into());
        }
        self.heads.check(Version::EMPTY, head)?;
        let blocks = Blocks::load(self.blocks.step(), operations::checked::<S>(objects))?;
        if blocks.root() != head.head.root {
            return Err(ApplyError::RootMismatch);
        }
        self.replace(head, blocks);
        Ok(self)
    }

    /// Returns the heads of all versions, from which consistency proofs can be made.
    pub const fn heads(&self) -> &HeadLog<S> {
        &self.heads
    }

    /// Returns the number of the latest version.
    pub fn latest(&self) -> Version {
        self.heads.latest()
    }

    /// Returns the number of entries ever registered, deleted ones included.
    pub fn registered(&self) -> u64 {
        self.blocks.registered()
    }

    /// Returns the height `step` of the directory's blocks, which have `2^step` slots. Clients need
    /// it for their hints.
    pub const fn step(&self) -> u32 {
        self.blocks.step()
    }

    /// Verifies an update and makes it the latest version.
    ///
    /// # Errors
    /// [`ApplyError`] if the update is refused; the directory is then unchanged. After
    /// [`ApplyError::Store`] a directory in files may be closed. It may contain the new version
    /// when it is opened again.
    pub fn apply(&mut self, update: &Update<S>) -> Result<Version, ApplyError> {
        let plan = self.plan_update(update)?;
        self.accept(update, plan)?;
        Ok(self.latest())
    }

    /// Checks the number and the order of an update's operations before they are decoded. The
    /// author's signature covers only the head.
    ///
    /// # Errors
    /// The errors of [`UpdateHead::require_operations`]; [`InputError::CapacityExceeded`] for more
    /// operations than an update can have.
    #[doc(hidden)]
    pub fn require_operations(&self, update: &UpdateHead<S>) -> Result<(), ApplyError> {
        let most = to_u64(operations::MOST_OPERATIONS);
        if update.operations() > most {
            return Err(InputError::CapacityExceeded.into());
        }
        update.require_operations(self.registered())
    }

    /// Verifies an update like [`BlockDirectory::apply`], without changing anything. The result is
    /// for [`BlockDirectory::apply_checked`].
    ///
    /// # Errors
    /// The errors of [`BlockDirectory::apply`].
    #[doc(hidden)]
    pub fn check_update(&self, update: Update<S>) -> Result<CheckedUpdate<S>, ApplyError> {
        let plan = Some(self.plan_update(&update)?);
        let base = self.blocks.root();
        Ok(CheckedUpdate { update, base, plan })
    }

    /// Makes a checked update the latest version, like [`BlockDirectory::apply`].
    ///
    /// Verifies its head again. Verifies the whole update again only if the directory is not the
    /// one that it was checked against.
    ///
    /// # Errors
    /// The errors of [`BlockDirectory::apply`].
    #[doc(hidden)]
    pub fn apply_checked(&mut self, checked: &mut CheckedUpdate<S>) -> Result<Version, ApplyError> {
        let CheckedUpdate { update, base, plan } = checked;
        self.blocks.require_open()?;
        self.heads.check(update.base, &update.head)?;
        // The root commits to all entries, and with the step determines all blocks.
        let is_same =
            |plan: &Plan<S>| *base == self.blocks.root() && plan.grid.step == self.blocks.step();
        let plan = match plan.take().filter(is_same) {
            Some(plan) => plan,
            None => self.plan_update(update)?,
        };
        self.accept(update, plan)?;
        Ok(self.latest())
    }

    /// Checks an update, and computes its result without changing anything.
    pub(crate) fn plan_update(&self, update: &Update<S>) -> Result<Plan<S>, ApplyError> {
        self.blocks.require_open()?;
        self.heads.check(update.base, &update.head)?;
        let changes = operations::decode::<S>(&update.operations)?;
        let before = self.blocks.registered();
        operations::check(&changes, before, |id| self.blocks.is_live(id))?;
        let mut plan = self.blocks.plan(EntryChanges::split(&changes, before));
        drop(changes);
        self.blocks.compute(&mut plan)?;
        if plan.root == update.head.head.root {
            Ok(plan)
        } else {
            Err(ApplyError::RootMismatch)
        }
    }

    /// Makes an update durable, and then the latest version. `plan` is the update's result.
    pub(crate) fn accept(&mut self, update: &Update<S>, plan: Plan<S>) -> Result<(), StoreFault> {
        self.log(core::slice::from_ref(update), plan.grid.registered)?;
        self.commit(update, plan)?;
        self.checkpoint_if_due()
    }

    /// Makes a checked update the latest version. `plan` is the update's result.
    pub(crate) fn commit(
        &mut self,
        update: &Update<S>,
        mut plan: Plan<S>,
    ) -> Result<(), StoreFault> {
        if let Err(fault) = self.blocks.commit(&mut plan) {
            // Some blocks are of this version, others of the one before it.
            return Err(match self.blocks.backing() {
                Some(backing) => backing.close(fault.into()),
                None => fault,
            });
        }
        self.heads.append(&update.head);
        Ok(())
    }

    /// Sets the contents of version 1 to `blocks`, with the signed `head`.
    pub(crate) fn replace(&mut self, head: &SignedHead<S>, blocks: Blocks<S>) {
        self.blocks = blocks;
        self.heads.append(head);
    }

    /// Proves the entries of `query` in the latest version.
    ///
    /// Time: one digest copied for each level and id.
    ///
    /// # Errors
    /// [`LookupError::InvalidQuery`] for a range of more than [`MOST_RANGE`] registered entries;
    /// [`LookupError::Store`] if a block cannot be read.
    #[doc(hidden)]
    pub fn prove_latest<Q: Selection>(
        &self,
        query: &Q,
    ) -> Result<DirectoryProof<S, Q>, LookupError> {
        self.blocks.require_open()?;
        let registered = self.registered();
        let asked = query.below(registered);
        if asked.len() > MOST_RANGE {
            return Err(LookupError::InvalidQuery);
        }
        let opened = self.blocks.open(asked)?;
        Ok(DirectoryProof {
            registered,
            shown: opened.shown,
            siblings: opened.siblings,
            question: PhantomData,
        })
    }

    /// Answers a request message for entries or a range, about the latest version.
    ///
    /// # Errors
    /// [`RequestError`] if the bytes are not a request, or the request has no answer.
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

    /// Answers a request for entries.
    ///
    /// # Errors
    /// [`LookupError::UnknownVersion`] for a client that knows a newer version than this server;
    /// [`LookupError::Store`] if a block cannot be read.
    #[doc(hidden)]
    pub fn answer_entries(
        &self,
        request: &EntryRequest<S>,
    ) -> Result<DirectoryAnswer<S>, LookupError> {
        self.blocks.require_open()?;
        let news = self.news(request.known())?;
        let single = request.ids().single();
        let short = match single.zip(request.chain()) {
            Some((id, chain)) => self.short_circuit(id, chain)?,
            None => None,
        };
        let evidence = match short {
            Some(short) => Evidence::Short(short),
            None => Evidence::Entries(self.prove_latest(request.ids())?),
        };
        Ok(DirectoryAnswer { news, evidence })
    }

    /// Answers a request for a range.
    ///
    /// # Errors
    /// - [`LookupError::UnknownVersion`] for a client that knows a newer version than this server.
    /// - [`LookupError::InvalidQuery`] for a range of more registered entries than the limit set by
    ///   [`BlockDirectory::limit_ranges`].
    /// - [`LookupError::Store`] if a block cannot be read.
    #[doc(hidden)]
    pub fn answer_range(
        &self,
        request: &RangeRequest<S>,
    ) -> Result<DirectoryAnswer<S>, LookupError> {
        self.blocks.require_open()?;
        let asked = sealed::QueryIds::below(&request.range, self.blocks.registered());
        if asked.len() > self.most_in_range {
            return Err(LookupError::InvalidQuery);
        }
        let news = self.news(request.known)?;
        let evidence = Evidence::Range(self.prove_latest(&request.range)?);
        Ok(DirectoryAnswer { news, evidence })
    }

    /// Returns the latest head, with a proof that it continues the version `known`. `None` if the
    /// client knows it already.
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

    /// Returns the upper part of the proof of an entry, down to the topmost subtree whose digest is
    /// in the client's chain. `None` if there is none.
    ///
    /// Compares only closed subtrees, and only for a registered entry, because the chain is
    /// untrusted.
    fn short_circuit(
        &self,
        id: EntryId,
        chain: &Chain<S>,
    ) -> Result<Option<ShortCircuit<S>>, StoreFault> {
        let (id, registered) = (id.number(), self.blocks.registered());
        if chain.step != self.blocks.step() || id >= registered {
            return Ok(None);
        }
        let heights = (1_u32..).filter_map(|j| j.checked_mul(chain.step));
        let offered: Vec<_> = heights.zip(&chain.digests).collect();
        let is_comparable = |height: u32| {
            shape::is_closed(id, height, registered) && registered > 1_u64.unbounded_shl(height)
        };
        let mut reader = self.blocks.reader();
        for (height, digest) in offered.into_iter().rev() {
            if is_comparable(height) && reader.node(height, id >> height)? == *digest {
                let siblings = reader.siblings_above(id, height)?;
                return Ok(Some(ShortCircuit {
                    registered,
                    height,
                    siblings,
                }));
            }
        }
        Ok(None)
    }
}

/// Checks that the author's scheme is that of directories, and that `step` is in range.
pub(crate) fn check_parameters(authority: &Authority, step: u32) -> Result<(), VerifyError> {
    require_directory(authority)?;
    if (1..=MOST_STEP).contains(&step) {
        Ok(())
    } else {
        Err(VerifyError::InvalidQuery)
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

    /// Returns the latest version. Blocks are changed in place, so no older version is available.
    fn oldest(&self) -> Version {
        Self::latest(self)
    }

    fn apply(&mut self, update: &Update<S>) -> Result<Version, ApplyError> {
        Self::apply(self, update)
    }

    fn head(&self, version: Version) -> Result<SignedHead<S>, LookupError> {
        self.blocks.require_open()?;
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
