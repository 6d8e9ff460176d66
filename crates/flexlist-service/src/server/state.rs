//! The loaded state of a file.

use flexlist::{
    FlexList,
    list::{Previous, Sha256, View},
};

use crate::{
    message::{FileStatus, Refusal},
    store::records::Head,
};

/// The current version of a file, and its list.
#[derive(Debug)]
pub(super) struct State {
    /// The head, as stored.
    pub(super) head: Head,
    /// `None` until the upload is finished.
    pub(super) versions: Option<ListVersions>,
}

/// The list of a finished file.
#[derive(Debug)]
pub(super) struct ListVersions {
    /// The newest version: the version of `head`, or the next one while it is being made durable.
    pub(super) list: FlexList,
    /// The version before the version of `head`, until the owner has acknowledged the latter.
    pub(super) previous: Option<Previous>,
    /// The version of `head`, while the next version is being made durable.
    pub(super) pending: Option<Previous>,
}

impl Head {
    /// The file's status, as answered to clients.
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
    /// The list, if the upload is finished.
    pub(super) fn versions(&self) -> Result<&ListVersions, Refusal> {
        let next_part = self.head.next_part;
        (self.versions.as_ref()).ok_or(Refusal::UploadUnfinished { next_part })
    }

    /// Returns the list at `version`, which is the head's version or the one before.
    pub(super) fn view(&self, version: u64) -> Result<View<'_, Sha256>, Refusal> {
        let versions = self.versions()?;
        let current = self.head.version;
        if version == current {
            let pending = versions.pending.as_ref();
            return Ok(pending.map_or_else(|| versions.list.current(), |old| versions.list.at(old)));
        }
        let previous = versions.previous.as_ref();
        match previous.filter(|_| version.checked_add(1) == Some(current)) {
            Some(old) => Ok(versions.list.at(old)),
            None => Err(Refusal::UnknownVersion {
                requested: version,
                current,
            }),
        }
    }
}
