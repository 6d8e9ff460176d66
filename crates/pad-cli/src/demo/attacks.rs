//! A server that lies: each attack is made by changing real bytes, and handed to a real client.

use std::path::Path;

use pad::{
    Key, Keys, Operation, Response, SecretKey, Sha256Ed25519, SignedHead, Suite, TreeProof,
    TrustedView, Untrusted, Value, VerifyError, Version,
    dynamic::{AnyRepository, Description, open_author},
    pad_core::codec,
    pad_tree::proof::{Content, OpenedLeaf},
    question::{Question, Refusal, Statement, verify},
    selection::{SchemeFamily, SuiteName},
};
use serde::{Deserialize, Serialize};

use super::{dictionary::Published, prices::Prices, tuple_attacks};
use crate::cli::Failure;

/// What a server tried, and how it ended.
pub(super) struct Attack {
    pub(super) name: &'static str,
    pub(super) story: String,
    /// The client's reason to refuse, or `None` if it was deceived.
    pub(super) refused: Option<String>,
}

pub(super) type S = Sha256Ed25519;

/// A look-up's proof as bytes have it, to be put together by somebody who lies.
#[derive(Serialize, Deserialize)]
struct Forgery {
    head: Option<SignedHead<S>>,
    shape: Vec<u8>,
    siblings: Vec<<S as Suite>::Digest>,
    leaves: Vec<OpenedLeaf<S>>,
}

/// All attacks on one dictionary: five on a tree, four to six on tuples.
pub(super) fn all(
    dictionary: &Published,
    prices: &Prices,
    folder: &Path,
) -> Result<Vec<Attack>, Failure> {
    let [_, (_, key), ..] = prices.interesting_keys();
    let scene = Scene {
        dictionary,
        repository: dictionary.author.repository(),
        prices,
        key,
    };
    if dictionary.kind.0.family() == SchemeFamily::Tuple {
        let mut attacks = tuple_attacks::all(&scene)?;
        attacks.push(scene.old_as_new()?);
        return Ok(attacks);
    }
    Ok(vec![
        scene.changed_value()?,
        scene.hidden_key()?,
        scene.old_as_new()?,
        scene.another_key()?,
        scene.forged_root(folder)?,
    ])
}

/// A server, a client, and the key that the attacks are about: one whose price changes.
pub(super) struct Scene<'a> {
    pub(super) dictionary: &'a Published,
    pub(super) repository: &'a AnyRepository,
    pub(super) prices: &'a Prices,
    pub(super) key: &'a Key,
}

impl Scene<'_> {
    /// The price in a genuine answer becomes another one.
    fn changed_value(&self) -> Result<Attack, Failure> {
        let version = self.repository.latest();
        let mut bytes = self.repository.answer(version, &self.question())?;
        let value = self.value(version)?.as_bytes();
        let place = bytes
            .windows(value.len())
            .rposition(|window| window == value);
        let digit = place
            .and_then(|place| bytes.get_mut(place))
            .ok_or_else(broken)?;
        *digit = if *digit == b'1' { b'9' } else { b'1' };
        let story = format!(
            "changed one digit of the price {} in its answer",
            self.value(version)?
        );
        let refused = self.deceive(version, &bytes, VerifyError::RootMismatch)?;
        Ok(Attack {
            name: "changed value",
            story,
            refused,
        })
    }

    /// A present key is denied: the proof opens its two neighbours and elides what is between.
    fn hidden_key(&self) -> Result<Attack, Failure> {
        let version = self.repository.latest();
        let contents = self.prices.contents.last().ok_or_else(broken)?;
        let before = contents
            .range(..self.key.clone())
            .next_back()
            .ok_or_else(broken)?
            .0;
        let after = contents
            .range(self.key.clone()..)
            .nth(1)
            .ok_or_else(broken)?
            .0;
        let neighbours = Keys::new(vec![before.clone(), after.clone()]).ok_or_else(broken)?;
        let answer = self
            .repository
            .answer(version, &Question::Keys(neighbours))?;
        let body = answer.get(codec::ENVELOPE_LENGTH..).ok_or_else(broken)?;
        let mut forgery: Forgery = codec::decode_body(body).map_err(|_| broken())?;
        // In a proof of absence the neighbours show their values' digests only.
        for leaf in &mut forgery.leaves {
            if let Content::Value(value) = &leaf.content {
                leaf.content = Content::Digest(S::value(value.as_bytes()));
            }
        }
        let mut bytes = self.repository.answer(version, &self.question())?;
        bytes.truncate(codec::ENVELOPE_LENGTH);
        bytes.extend(codec::encode_body(&forgery));
        let story = "denied the key: opened its two neighbours and elided what is between them";
        let refused = self.deceive(version, &bytes, VerifyError::Elided)?;
        Ok(Attack {
            name: "hidden key",
            story: story.into(),
            refused,
        })
    }

    /// A client that has seen the latest version is offered the first one as news.
    fn old_as_new(&self) -> Result<Attack, Failure> {
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

    /// The genuine answer for one key is given for another.
    fn another_key(&self) -> Result<Attack, Failure> {
        let version = self.repository.latest();
        let [(_, other), ..] = self.prices.interesting_keys();
        let bytes = self
            .repository
            .answer(version, &Question::Key(other.clone()))?;
        let story = format!("answered with the true proof of {other}");
        let refused = self.deceive(version, &bytes, VerifyError::ValueSurplus)?;
        Ok(Attack {
            name: "proof of another key",
            story,
            refused,
        })
    }

    /// A whole dictionary of the server's own, under the author's genuine signature.
    fn forged_root(&self, folder: &Path) -> Result<Attack, Failure> {
        let version = Version::new(1);
        let public = &self.dictionary.public;
        let (scheme, repository) = self.dictionary.kind;
        let id = public.authority.dictionary;
        let key = SecretKey::from_seed(SuiteName::Sha256Ed25519, scheme, id, &[66; 32])
            .map_err(|error| Failure::Store(error.to_string()))?;
        let path = folder.join(format!("forged-{scheme}-{repository}.pad"));
        Description {
            public: key.public().clone(),
            repository,
        }
        .create(&path)?;
        let mut liar = open_author(&path, &key, super::dictionary::record_beside(&path)?)?;
        let mut batch = self
            .prices
            .snapshots
            .first()
            .map_or_else(Vec::new, |first| first.operations.clone());
        let price = Value::try_from("0.0")?;
        batch.push(Operation::Put(self.key.clone(), price));
        liar.stage(batch)?;
        liar.flush(&[])?;
        let decode =
            |bytes: &[u8]| codec::decode::<Response<S, TreeProof<S, Key>>>(bytes, bytes.len());
        let forged = liar.repository().answer(version, &self.question())?;
        let genuine = self.repository.answer(version, &self.question())?;
        let (Ok(mut forged), Ok(genuine)) = (decode(&forged), decode(&genuine)) else {
            return Err(broken());
        };
        let (Some(forged_head), Some(head)) = (&mut forged.head, genuine.head) else {
            return Err(broken());
        };
        forged_head.signature = head.signature;
        let story = "built a tree with the price 0.0, and put the author's signature on its root";
        let refused = self.deceive(
            version,
            &codec::encode(&forged),
            VerifyError::SignatureInvalid,
        )?;
        Ok(Attack {
            name: "forged root",
            story: story.into(),
            refused,
        })
    }

    fn question(&self) -> Question {
        Question::Key(self.key.clone())
    }

    fn value(&self, version: Version) -> Result<&Value, Failure> {
        self.prices.value(version, self.key).ok_or_else(broken)
    }

    /// Hands the bytes to a client that trusts the public key alone.
    fn deceive(
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
