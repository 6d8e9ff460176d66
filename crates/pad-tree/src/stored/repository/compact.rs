//! Compaction: appends the inner nodes of the latest version again, close together.

use pad_core::{ApplyError, LookupError, StoreFault, Suite, Version};

use super::{
    StoredRepository,
    error::CopyError,
    head::{Contents, StoredHead},
};
use crate::{
    balancing::BalancingScheme,
    stored::{
        layout::{Layout, LayoutError},
        link::Link,
        log::NodeLog,
        view::StoredView,
    },
};

impl<S: Suite, B: BalancingScheme, L: NodeLog> StoredRepository<S, B, L> {
    /// Compacts the latest version: appends its inner nodes to the log again, laid out as after a
    /// bulk load. The version then refers to the new copies.
    ///
    /// Nodes before the root of version `since` in the log are not appended again. If `since` is
    /// version 0, all inner nodes are. Leaves stay where they are, because the addresses of leaves
    /// identify entries in the history of a key. Other versions do not change, and proofs stay the
    /// same.
    ///
    /// Returns the number of appended bytes, and reports the number so far to `note` from time to
    /// time. The result is not durable before [`StoredRepository::synchronise`].
    ///
    /// Time: linear in the appended bytes. Memory: the nodes of one path and a few pieces of 1 MiB.
    ///
    /// # Errors
    /// [`CopyError`]. The repository is unchanged, unless the log fails while it replaces the
    /// version's record. The repository is then closed.
    pub fn compact(&mut self, since: Version, mut note: impl FnMut(u64)) -> Result<u64, CopyError> {
        self.require_open().map_err(LookupError::from)?;
        // Version 0 has no nodes. It may be pruned, so its contents are not looked up.
        let from = match since {
            Version::EMPTY => 0,
            since => self.contents(since)?.root.map_or(0, |root| root.address),
        };
        let Some(root) = self.latest_contents().root else {
            return Ok(0);
        };
        let before = self.nodes.log.end();
        let moved = self.move_nodes(root, from, &mut note);
        let head = moved.and_then(|root| self.head_at(root));
        let head = head.inspect_err(|_| self.nodes.log.discard());
        let head = head.map_err(ApplyError::from)?;
        let replaced = self.nodes.replace(&head.write());
        self.is_closed |= replaced.is_err();
        replaced.map_err(LookupError::from)?;
        self.latest = Some(head);
        Ok(self.nodes.log.end().saturating_sub(before))
    }

    /// Appends the inner nodes of the tree below `root`, except for nodes before the position
    /// `from`. Reports the number of appended bytes to `note`. Returns the new link to the root.
    fn move_nodes(
        &mut self,
        root: Link<S::Digest>,
        from: u64,
        note: &mut impl FnMut(u64),
    ) -> Result<Option<Link<S::Digest>>, LayoutError> {
        let mut layout = Layout::<S>::new(self.nodes.log.end());
        let mut appended = 0;
        let mut append = |nodes: &mut super::Nodes<L>, bytes: &[u8]| -> Result<(), StoreFault> {
            nodes.append(bytes)?;
            appended += u64::try_from(bytes.len()).unwrap_or(u64::MAX);
            note(appended);
            Ok(())
        };
        let mut steps = StoredView::<S, L>::new(&self.nodes, Some(root)).steps();
        loop {
            let view = StoredView::<S, L>::new(&self.nodes, Some(root));
            if !view.lay_out_step(&mut steps, from, &mut layout)? {
                break;
            }
            layout.append_ready(|bytes| append(&mut self.nodes, bytes))?;
        }
        layout.finish(|bytes| append(&mut self.nodes, bytes))
    }

    /// The record of the latest version, with the link `root` instead of its old link. The digest
    /// must be unchanged.
    fn head_at(&self, root: Option<Link<S::Digest>>) -> Result<StoredHead<S>, LayoutError> {
        let head = self.latest.ok_or(StoreFault::Damaged)?;
        let contents = head.contents.ok_or(StoreFault::Damaged)?;
        if root.map(|root| root.digest) != contents.root.map(|root| root.digest) {
            return Err(StoreFault::Damaged.into());
        }
        Ok(StoredHead {
            contents: Some(Contents { root, ..contents }),
            ..head
        })
    }
}
