//! Copies versions to another log and leaves out the older ones.

use pad_core::{ApplyError, LookupError, Repository as _, Suite, Version};

use super::{StoredRepository, error::CopyError, head::Contents};
use crate::{
    balancing::BalancingScheme,
    stored::{cache::NodeCache, log::NodeLog},
};

impl<S: Suite, B: BalancingScheme, L: NodeLog> StoredRepository<S, B, L> {
    /// Copies the versions from `oldest` on, and the heads of all versions, to an empty log.
    ///
    /// Nodes that only older versions need are not copied. The nodes of version `oldest` are stored
    /// next to each other.
    ///
    /// Time: linear in the copied bytes. Memory: the nodes of one path for version `oldest`, and
    /// the changes of one later version at a time.
    ///
    /// # Errors
    /// [`CopyError`]. The caller must then discard the target log.
    #[doc(hidden)]
    pub fn copy_since<M: NodeLog>(
        &self,
        oldest: Version,
        log: M,
        cache: impl Into<NodeCache>,
    ) -> Result<StoredRepository<S, B, M>, CopyError> {
        let mut copy = StoredRepository::<S, B, M>::open(*self.authority(), log, cache)
            .map_err(LookupError::from)?;
        copy.workers = self.workers.clone();
        let kept = self.contents(oldest)?;
        let latest = self.latest().number();
        for number in 1..oldest.number() {
            let head = self.head(Version::new(number))?;
            copy.require_history(&head)?;
            copy.record(&head, None).map_err(LookupError::from)?;
        }
        if oldest > Version::EMPTY {
            let head = self.head(oldest)?;
            copy.require_history(&head)?;
            let (position, nodes) = (copy.nodes.log.end(), &mut copy.nodes);
            let placed = self
                .view(oldest)?
                .lay_out(position, |bytes| nodes.append(bytes));
            let (root, population) = placed.map_err(ApplyError::from)?;
            if population != kept.population {
                return Err(LookupError::Damaged { version: oldest }.into());
            }
            let contents = Contents { root, population };
            copy.oldest = oldest;
            copy.record(&head, Some(contents))
                .map_err(LookupError::from)?;
        }
        for number in oldest.number().saturating_add(1)..=latest {
            copy.apply(&self.update(Version::new(number))?)?;
        }
        Ok(copy)
    }
}
