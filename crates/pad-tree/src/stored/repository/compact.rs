//! The inner nodes of the latest version, once more and together.

use pad_core::{ApplyError, LookupError, StoreFault, Suite, Version};

use super::{
    StoredRepository,
    error::CopyError,
    head::{Contents, StoredHead},
};
use crate::{
    balancing::BalancingScheme,
    stored::{
        layout::{Layout, Unplaced},
        link::Link,
        log::NodeLog,
        view::StoredView,
    },
};

impl<S: Suite, B: BalancingScheme, L: NodeLog> StoredRepository<S, B, L> {
    /// Appends the inner nodes of the latest version once more, laid out as if it had been loaded at once, and has the version be there from
    /// now on. Those that version `since` had already stay where they are; with version 0, all are appended. Leaves stay, because where a
    /// leaf is says which version has put it. Other versions, and all answers, stay what they are. Returns the bytes that were appended, and says now and then how many there are.
    ///
    /// It is not durable before [`StoredRepository::synchronise`].
    ///
    /// Time: linear in what is appended. Memory: a path and a few pieces of 1 MiB.
    ///
    /// # Errors
    /// [`CopyError`]: nothing is changed.
    pub fn compact(&mut self, since: Version, mut note: impl FnMut(u64)) -> Result<u64, CopyError> {
        self.require_open().map_err(LookupError::from)?;
        // Version 0 had none, though it may be pruned.
        let from = match since {
            Version::EMPTY => 0,
            since => self.contents(since)?.root.map_or(0, |root| root.address),
        };
        let Some(root) = self.latest_contents().root else {
            return Ok(0);
        };
        let before = self.nodes.log().end();
        let moved = self.move_nodes(root, from, &mut note);
        let head = match moved.and_then(|root| self.head_at(root)) {
            Ok(head) => head,
            Err(unplaced) => {
                self.nodes.discard();
                return Err(ApplyError::from(unplaced).into());
            }
        };
        if let Err(fault) = self.nodes.replace(&head.write()) {
            self.is_closed = true;
            return Err(LookupError::from(fault).into());
        }
        self.latest = Some(head);
        Ok(self.nodes.log().end().saturating_sub(before))
    }

    /// Appends nodes as long as there are any; where the root is then.
    fn move_nodes(
        &mut self,
        root: Link<S::Digest>,
        from: u64,
        note: &mut impl FnMut(u64),
    ) -> Result<Option<Link<S::Digest>>, Unplaced> {
        let mut layout = Layout::<S>::new(self.nodes.log().end());
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

    /// The head of the latest version with its root at another place.
    fn head_at(&self, root: Option<Link<S::Digest>>) -> Result<StoredHead<S>, Unplaced> {
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
