//! Advancing a view along the heads of a server, with evidence if the heads contradict the view.

use block_directory::BlockDirectory;
use pad_core::{Heads as _, LookupError, Suite, VerifyError, Version, codec};

use super::{RefusedHead, StoredView};
use crate::{
    dictionary::AnswerError,
    heads::Heads,
    keeper::past_messages,
    question::{Question, Refusal},
    server::Server,
    witnessed::heads_of,
};

impl<F> Heads for Server<F> {
    type Error = AnswerError;

    fn offered(&self) -> Result<Version, AnswerError> {
        Ok((**self).latest())
    }

    fn head_message(&self, version: Version) -> Result<Vec<u8>, AnswerError> {
        Ok((**self).head_message(version)?)
    }

    fn consistency_message(&self, older: Version, newer: Version) -> Result<Vec<u8>, AnswerError> {
        Ok((**self).consistency_message(older, newer)?)
    }

    fn append_only_message(
        &self,
        older: Version,
        newer: Version,
    ) -> Result<Option<Vec<u8>>, AnswerError> {
        Ok((**self).append_only_message(older, newer)?)
    }

    fn past_messages(&self, older: Version, newer: Version) -> Result<Vec<Vec<u8>>, AnswerError> {
        Ok((**self).past_messages(older, newer)?)
    }
}

impl<S: Suite> Heads for BlockDirectory<S> {
    type Error = LookupError;

    fn offered(&self) -> Result<Version, LookupError> {
        Ok(self.latest())
    }

    fn head_message(&self, version: Version) -> Result<Vec<u8>, LookupError> {
        Ok(codec::encode(&self.heads().head(version)?))
    }

    fn consistency_message(&self, older: Version, newer: Version) -> Result<Vec<u8>, LookupError> {
        Ok(codec::encode(
            &self.heads().prove_consistency(older, newer)?,
        ))
    }

    fn append_only_message(&self, _: Version, _: Version) -> Result<Option<Vec<u8>>, LookupError> {
        Ok(None)
    }

    fn past_messages(&self, older: Version, newer: Version) -> Result<Vec<Vec<u8>>, LookupError> {
        past_messages(self.heads(), older, newer)
    }
}

/// Error returned when a view cannot advance, or when the heads in an answer cannot be checked. The
/// view is unchanged.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotFollowed<E> {
    /// The latest version that the source offers is older than the newest version that the view has
    /// seen.
    #[error("{}", VerifyError::Rollback { seen: *.seen, offered: *.offered })]
    Behind {
        /// The newest version that the view has seen.
        seen: Version,
        /// The latest version that the source offers.
        offered: Version,
    },
    /// The view refuses a head, or a proof about it.
    #[error(transparent)]
    Refused(#[from] RefusedHead),
    /// The source does not return a required head or proof, because of this error.
    #[error("{0}")]
    Silent(E),
}

impl StoredView {
    /// Advances the view to the latest head of `heads`, and returns the new view.
    ///
    /// # Errors
    /// [`NotFollowed`], with evidence if the heads prove that the author has signed two histories.
    #[doc(hidden)]
    pub fn follow<H: Heads + ?Sized>(&self, heads: &H) -> Result<Self, NotFollowed<H::Error>> {
        let offered = heads.offered().map_err(NotFollowed::Silent)?;
        self.follow_to(heads, offered, || heads.head_message(offered))
    }

    /// Advances the view to the head of version `offered`, which `head` returns, with proofs from
    /// `heads`.
    ///
    /// # Errors
    /// The errors of [`StoredView::follow`].
    #[doc(hidden)]
    pub fn follow_to<H: Heads + ?Sized>(
        &self,
        heads: &H,
        offered: Version,
        head: impl FnOnce() -> Result<Vec<u8>, H::Error>,
    ) -> Result<Self, NotFollowed<H::Error>> {
        let seen = self.version();
        if offered < seen {
            return Err(NotFollowed::Behind { seen, offered });
        }
        if offered == Version::EMPTY {
            return Ok(self.clone());
        }
        let head = head().map_err(NotFollowed::Silent)?;
        let is_newer = Version::EMPTY < seen && seen < offered;
        let (consistency, append_only) = if is_newer {
            let consistency = heads.consistency_message(seen, offered);
            let append_only = heads.append_only_message(seen, offered);
            (
                Some(consistency.map_err(NotFollowed::Silent)?),
                append_only.map_err(NotFollowed::Silent)?,
            )
        } else {
            (None, None)
        };
        let advanced = self.advance(&head, consistency.as_deref(), append_only.as_deref());
        advanced.map_err(|RefusedHead { refusal, evidence }| {
            let evidence = evidence.or_else(|| {
                let past = heads.past_messages(seen, offered).ok()?;
                past.iter().find_map(|past| self.accuse(&head, past))
            });
            NotFollowed::Refused(RefusedHead { refusal, evidence })
        })
    }

    /// Checks that the heads in a verified answer belong to the history of the newest head seen.
    /// Only logs need this check; for other families, the author's signature is enough.
    ///
    /// For each head of an older version, `heads` supplies two proofs. The first proves that the
    /// newest head's history contains the older version's root. The second proves that the newest
    /// version contains all entries of the older version.
    ///
    /// Checks nothing for families other than logs, for a view without a head, or for the newest
    /// version seen and later versions. A client of [`crate::dynamic::client_of`] compares heads of
    /// the newest version and refuses later versions.
    ///
    /// # Errors
    /// [`NotFollowed`], with evidence if the answer contains a head that contradicts the history.
    #[doc(hidden)]
    pub fn check_past<H: Heads + ?Sized>(
        &self,
        heads: &H,
        (version, question): (Version, &Question),
        answer: &[u8],
    ) -> Result<(), NotFollowed<H::Error>> {
        let seen = self.version();
        if seen == Version::EMPTY || !self.public.scheme.family().is_append_only() {
            return Ok(());
        }
        let shown = heads_of(&self.public, question, answer);
        let shown = shown.map_err(|error| RefusedHead::from(Refusal::from(error)))?;
        for (version, head) in question.versions(version).into_iter().zip(shown) {
            let Some(head) = head.filter(|_| version < seen) else {
                continue;
            };
            let past = heads.past_messages(version, seen);
            let past = past.map_err(NotFollowed::Silent)?;
            let append_only = heads.append_only_message(version, seen);
            let append_only = append_only.map_err(NotFollowed::Silent)?;
            self.check_past_head(&head, &past, append_only.as_deref())?;
        }
        Ok(())
    }
}
