//! Attacks on a tree.

use std::path::Path;

use pad::{
    Key, Keys, Operation, Response, SecretKey, SignedHead, Suite, TreeProof, VerifyError, Version,
    dynamic::{create_store, open_author},
    pad_core::codec,
    pad_tree::proof::{Content, OpenedLeaf},
    question::Question,
    selection::SuiteName,
};
use serde::{Deserialize, Serialize};

use super::scene::{Attack, S, Scene, broken};
use crate::cli::Failure;

/// A look-up's proof as bytes have it, to be put together by somebody who lies.
#[derive(Serialize, Deserialize)]
struct Forgery {
    head: Option<SignedHead<S>>,
    shape: Vec<u8>,
    siblings: Vec<<S as Suite>::Digest>,
    leaves: Vec<OpenedLeaf<S>>,
}

/// All of them: four, beside those that every family meets.
pub(super) fn all(scene: &Scene<'_>, folder: &Path) -> Result<Vec<Attack>, Failure> {
    Ok(vec![
        scene.changed_value()?,
        scene.hidden_key()?,
        scene.another_key()?,
        scene.forged_root(folder)?,
    ])
}

impl Scene<'_> {
    /// The value in a genuine answer becomes another one.
    fn changed_value(&self) -> Result<Attack, Failure> {
        let version = self.repository.latest();
        let genuine = self.repository.answer(version, &self.question())?;
        let (envelope, body) = genuine
            .split_at_checked(codec::ENVELOPE_LENGTH)
            .ok_or_else(broken)?;
        let mut forgery: Forgery = codec::decode_body(body).map_err(|_| broken())?;
        for leaf in &mut forgery.leaves {
            if let Content::Value(value) = &mut leaf.content {
                *value = self.false_value(version);
            }
        }
        let bytes = [envelope, &codec::encode_body(&forgery)].concat();
        let story = format!(
            "changed the value {} in its answer to {}",
            self.value(version)?,
            self.false_value(version)
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

    /// The genuine answer for one key is given for another.
    fn another_key(&self) -> Result<Attack, Failure> {
        let version = self.repository.latest();
        let other = self.prices.other();
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
        let scheme = self.dictionary.scheme;
        let id = public.authority.dictionary;
        let key = SecretKey::from_seed(SuiteName::Sha256Ed25519, scheme, id, &[66; 32])
            .map_err(|error| Failure::Store(error.to_string()))?;
        let path = folder.join(format!("forged-{scheme}.pad"));
        create_store(&path, key.public())?;
        let mut liar = open_author(&path, &key, super::dictionary::record_beside(&path)?)?;
        let mut batch = self
            .prices
            .snapshots
            .first()
            .map_or_else(Vec::new, |first| first.operations.clone());
        let value = self.false_value(version);
        batch.push(Operation::Put(self.key.clone(), value.clone()));
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
        let story = format!(
            "built a tree with the value {value}, and put the author's signature on its root"
        );
        let refused = self.deceive(
            version,
            &codec::encode(&forged),
            VerifyError::SignatureInvalid,
        )?;
        Ok(Attack {
            name: "forged root",
            story,
            refused,
        })
    }
}
