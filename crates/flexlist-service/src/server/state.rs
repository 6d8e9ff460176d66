//! The state of a file whose block list is loaded in memory.

use flexlist::{
    FlexList,
    internals::View,
    list::{Previous, Sha256},
};

use crate::{
    message::{FileStatus, Refusal},
    store::records::Head,
};

/// The current state of a file: its head (properties such as version and root), and its list.
#[derive(Debug)]
pub(super) struct State {
    /// The head, as last stored.
    pub(super) head: Head,
    /// The list with its versions; `None` until the upload is finished.
    pub(super) versions: Option<ListVersions>,
}

/// The block list of a finished file, with handles to up to two earlier versions.
#[derive(Debug)]
pub(super) struct ListVersions {
    /// The list at the newest version: the version of `head`, or the next one while this is being
    /// made durable.
    pub(super) list: FlexList,
    /// A handle to the version before the version of `head`. Set until the owner has acknowledged
    /// the version of `head`.
    pub(super) previous: Option<Previous>,
    /// A handle to the version of `head`. Set while the next version is being made durable.
    pub(super) pending: Option<Previous>,
}

impl Head {
    /// Returns the file's status for answers to clients.
    pub(super) const fn status(&self) -> FileStatus {
        FileStatus {
            version: self.version,
            root: self.root,
            total: self.total,
            blocks: self.blocks,
            next_part: self.next_part,
        }
    }
}

impl State {
    /// Returns the list with its versions, if the upload is finished.
    pub(super) fn versions(&self) -> Result<&ListVersions, Refusal> {
        let next_part = self.head.next_part;
        (self.versions.as_ref()).ok_or(Refusal::UploadUnfinished { next_part })
    }

    /// Returns a view of the list at version `requested`, which is the version of `head` or the one
    /// before it.
    pub(super) fn view(&self, requested: u64) -> Result<View<'_, Sha256>, Refusal> {
        let versions = self.versions()?;
        let current = self.head.version;
        if requested == current {
            let pending = versions.pending.as_ref();
            return Ok(pending.map_or_else(|| versions.list.current(), |old| versions.list.at(old)));
        }
        let previous = versions.previous.as_ref();
        match previous.filter(|_| requested.checked_add(1) == Some(current)) {
            Some(old) => Ok(versions.list.at(old)),
            None => Err(Refusal::UnknownVersion { requested, current }),
        }
    }
}
