//! A server, a client, and what attacks on them have in common.

use pad::{
    Key, Sha256Ed25519, SignedHead, TrustedView, Untrusted, Value, VerifyError, Version,
    dynamic::{AnyRepository, verify},
    question::{Question, Refusal, Statement},
};

use super::{dictionary::Published, prices::Prices};
use crate::cli::Failure;

/// What a server tried, and how it ended.
pub(super) struct Attack {
    pub(super) name: &'static str,
    pub(super) story: String,
    /// The client's reason to refuse, or `None` if it was deceived.
    pub(super) refused: Option<String>,
}

pub(super) type S = Sha256Ed25519;

/// A server, a client, and the key that the attacks are about: one whose price changes.
pub(super) struct Scene<'a> {
    pub(super) dictionary: &'a Published<'a>,
    pub(super) repository: &'a AnyRepository,
    pub(super) prices: &'a Prices,
    pub(super) key: &'a Key,
}

impl Scene<'_> {
    /// A client that has seen the latest version is offered the first one as news.
    pub(super) fn old_as_new(&self) -> Result<Attack, Failure> {
        let (first, latest) = (Version::new(1), self.repository.latest());
        let head = |version| -> Result<Untrusted<SignedHead<S>>, Failure> {
            let bytes = self.repository.head_message(version)?;
            Untrusted::decode(&bytes, bytes.len()).map_err(|error| Refusal::from(error).into())
        };
        let mut view = TrustedView::<S>::new(self.dictionary.public.authority);
        view.advance(head(latest)?, None)
            .map_err(|refused| Refusal::from(refused.error))?;
        let refused = view
            .advance(head(first)?, None)
            .err()
            .map(|refused| refused.error);
        let expected = VerifyError::Rollback {
            seen: latest,
            offered: first,
        };
        let story = format!("offered version {first}, truly signed, as the latest");
        let refused = expect(refused.map(Refusal::Verify), expected)?;
        Ok(Attack {
            name: "old version as new",
            story,
            refused,
        })
    }

    /// Another value for the key than it has in a version.
    pub(super) fn false_value(&self, version: Version) -> Value {
        let zero = Value::from(b"0.0");
        let is_true = self.prices.value(version, self.key) == Some(&zero);
        if is_true { Value::from(b"0.1") } else { zero }
    }

    pub(super) fn question(&self) -> Question {
        Question::Key(self.key.clone())
    }

    pub(super) fn value(&self, version: Version) -> Result<&Value, Failure> {
        self.prices.value(version, self.key).ok_or_else(broken)
    }

    /// Hands the bytes to a client that trusts the public key alone.
    pub(super) fn deceive(
        &self,
        version: Version,
        bytes: &[u8],
        expected: VerifyError,
    ) -> Result<Option<String>, Failure> {
        let verified: Result<Statement, Refusal> =
            verify(&self.dictionary.public, version, &self.question(), bytes);
        expect(verified.err(), expected)
    }
}

/// The reason of a refusal, which must be the expected one: an attack that fails for another reason
/// shows nothing.
pub(super) fn expect(
    refused: Option<Refusal>,
    expected: VerifyError,
) -> Result<Option<String>, Failure> {
    match refused {
        Some(Refusal::Verify(reason)) if reason == expected => Ok(Some(reason.to_string())),
        None => Ok(None),
        Some(other) => Err(Failure::Refused(format!(
            "an attack was refused, but because {other}"
        ))),
    }
}

pub(super) fn broken() -> Failure {
    Failure::Store("the demonstration could not make an attack".into())
}
