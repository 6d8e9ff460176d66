//! Publishes an author's versions without a copy of the contents in memory.

use std::collections::BTreeSet;

use pad_core::{
    HeadSignature, Key, Operation, SignedHead, StoreFault, Suite, Update, Version,
    internals::PendingChanges,
};
use signature::Signer;

use super::{
    design::StorableDesign, error::PublishError, load::LoadedLayers, read::Claims,
    repository::StoredTupleRepository, rows::Rows,
};
use crate::{
    author::{Plan, SigningInputs},
    speculation::Speculation,
    statement::Context,
    tuple::Content,
    update::TupleAttachment,
};

impl<S: Suite, D: StorableDesign<S>, R: Rows> StoredTupleRepository<S, D, R> {
    /// Signs a batch as the next version, and applies it. The author needs no copy of the contents.
    ///
    /// The last operation on a key wins. Removing an absent key does nothing. Reads the tuples
    /// around the batch's keys, and all tuples of the generations whose clocks the version moves.
    /// All tuples of these generations are signed anew or get another link.
    ///
    /// The caller must store the returned update durably before it serves the version.
    ///
    /// Does not check `secret`; see [`StoredTupleRepository::require_keys`].
    ///
    /// # Errors
    /// [`PublishError`]. No version is applied, no signature is returned, and `batch` still
    /// contains its effective operations.
    pub fn publish<K: Signer<HeadSignature> + Sync>(
        &mut self,
        batch: &mut Vec<Operation>,
        signer: &K,
        secret: &D::Secret,
    ) -> Result<Update<S, TupleAttachment<D::Extension>>, PublishError> {
        self.meet_others()?;
        let there = self.there(batch)?;
        let is_there = |key: &[u8]| there.contains(key);
        let entries = usize::try_from(self.state.entries).map_err(|_| StoreFault::Damaged)?;
        let mut pending = PendingChanges::default();
        pending.extend(core::mem::take(batch), is_there);
        let entries = pending.len(entries, is_there);
        let operations = pending.take();
        let (head, attachment, loaded) = match self.signed(&operations, entries, (signer, secret)) {
            Ok(signed) => signed,
            Err(error) => {
                *batch = operations;
                return Err(error);
            }
        };
        let update = Update {
            base: self.state.latest,
            operations,
            head,
            attachment,
        };
        let checked = self.check_next(&update);
        let applied = checked.and_then(|()| self.take_in_loaded(&update, loaded));
        match applied {
            Ok(_) => Ok(update),
            Err(error) => {
                *batch = update.operations;
                Err(error.into())
            }
        }
    }

    /// Returns the keys of a batch that the latest version contains. The new version omits removals
    /// of absent keys. For these keys, checks that the author signed the tuples that prove the
    /// absence.
    fn there(&self, batch: &[Operation]) -> Result<BTreeSet<Key>, PublishError> {
        if self.state.latest == Version::EMPTY {
            return Ok(BTreeSet::new());
        }
        self.read(|reader| {
            let (mut there, mut claims) = (BTreeSet::new(), Claims::new());
            for operation in batch {
                let (key, mut shown) = (operation.key(), Claims::new());
                let content = reader.decided::<S>(0, key, &mut shown)?;
                if matches!(content, Some(Content::Value(_))) {
                    there.insert(key.clone());
                } else if matches!(operation, Operation::Remove(_)) {
                    claims.extend(shown);
                }
            }
            reader.require_vouched::<S, D>(claims, &self.workers)?;
            Ok(there)
        })
    }

    /// Signs `operations`, which are in ascending order of keys. `entries` is the number of entries
    /// after these operations. Returns the head, the attachment, and what the version changes.
    #[allow(clippy::type_complexity, reason = "the parts of an update")]
    fn signed<K: Signer<HeadSignature> + Sync>(
        &mut self,
        operations: &[Operation],
        entries: usize,
        (signer, secret): (&K, &D::Secret),
    ) -> Result<
        (
            SignedHead<S>,
            TupleAttachment<D::Extension>,
            LoadedLayers<S, D>,
        ),
        PublishError,
    > {
        let sizes = self.state.sizes.iter().map(|size| usize::try_from(*size));
        let sizes: Result<Vec<usize>, _> = sizes.collect();
        let plan = Plan {
            version: self.state.latest,
            sizes: &sizes.map_err(|_| StoreFault::Damaged)?,
            entries,
            operations: self.state.operations,
        };
        let (merged, _) = plan.merged(Speculation::default(), operations.len());
        let keys = operations.iter().map(Operation::key);
        let loaded = self.read_known(|reader| {
            let loaded = reader.load::<S, D>(merged, keys)?;
            reader.require_loaded::<S, D>(&loaded, &self.workers)?;
            Ok::<_, PublishError>(loaded)
        })?;
        let context = Context::of(self.authority());
        let (mut layers, mut state) = D::resume(secret, context, &loaded.records, &loaded.layers)?;
        let transition = layers.apply(operations, merged)?;
        let history = self.history()?.root();
        let signing = SigningInputs::<S, D, K> {
            authority: &self.state.authority,
            secret,
            signer,
            history,
            workers: &self.workers,
        };
        let signed = signing.sign(&mut state, &mut layers, operations, &transition)?;
        Ok((signed.0, signed.1, loaded))
    }
}
