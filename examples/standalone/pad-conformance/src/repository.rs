//! The server's repository: a full copy of each version.

use std::marker::PhantomData;

use ed25519_dalek::SignatureError;
use pad_core::{
    ApplyError, HeadLog, HeadSigner, Heads, Hosts, Key, LookupError, Operation, PublicKey,
    Repository, Serves, Sha256Ed25519, SignedHead, Update, Version,
};

use crate::{
    author::ListAuthor,
    family::{Contents, List, ListProof, Rule},
};

#[derive(Clone)]
pub struct ListRepository<R> {
    heads: HeadLog<Sha256Ed25519>,
    /// The contents of all versions from version 0 on.
    versions: Vec<Contents>,
    rule: PhantomData<R>,
}

impl<R> ListRepository<R> {
    fn contents(&self, version: Version) -> Result<&Contents, LookupError> {
        let latest = self.heads.latest();
        let place = usize::try_from(version.number()).ok();
        let contents = place.and_then(|place| self.versions.get(place));
        contents.ok_or(LookupError::UnknownVersion { version, latest })
    }
}

impl<R: Rule> Repository for ListRepository<R> {
    type Suite = Sha256Ed25519;
    type Attachment = ();
    type Query = Key;
    type Proof = ListProof<R>;

    fn latest(&self) -> Version {
        self.heads.latest()
    }

    fn oldest(&self) -> Version {
        Version::EMPTY
    }

    fn apply(&mut self, update: &Update<Sha256Ed25519>) -> Result<Version, ApplyError> {
        self.heads.check(update.base, &update.head)?;
        let operations = &update.operations;
        if !operations.is_sorted_by(|one, next| one.key() < next.key()) {
            return Err(ApplyError::UnorderedOperations);
        }
        let mut contents = self.versions.last().cloned().unwrap_or_default();
        for operation in operations {
            match operation {
                Operation::Put(key, value) => {
                    contents.insert(key.clone(), value.clone());
                }
                Operation::Remove(key) => {
                    contents.remove(key).ok_or(ApplyError::RemovesAbsentKey)?;
                }
            }
        }
        if R::root(&ListProof::<R>::of(&contents).entries) != update.head.head.root {
            return Err(ApplyError::RootMismatch);
        }
        self.heads.append(&update.head);
        self.versions.push(contents);
        Ok(self.latest())
    }

    fn head(&self, version: Version) -> Result<SignedHead<Sha256Ed25519>, LookupError> {
        self.heads.head(version)
    }

    fn prove(&self, version: Version, _: &Key) -> Result<ListProof<R>, LookupError> {
        self.contents(version).map(ListProof::of)
    }
}

impl<R: Rule> Hosts for ListRepository<R> {
    type Family = List<R>;

    fn create(public: &PublicKey<List<R>>) -> Self {
        Self {
            heads: HeadLog::new(*public.authority()),
            versions: vec![Contents::new()],
            rule: PhantomData,
        }
    }

    fn resume(&self, signer: HeadSigner, (): ()) -> Result<ListAuthor<R>, SignatureError> {
        let contents = self.versions.last().cloned().unwrap_or_default();
        Ok(ListAuthor {
            authority: *self.heads.authority(),
            signer,
            open: contents.clone(),
            published: contents,
            history: self.heads.frontier(),
            latest: self.heads.latest_head(),
            rule: PhantomData,
        })
    }

    fn heads(&self) -> impl Heads<Sha256Ed25519> {
        &self.heads
    }
}

impl<R: Rule> Serves<Key> for ListRepository<R> {
    fn prove_answer(&self, version: Version, key: &Key) -> Result<ListProof<R>, LookupError> {
        self.prove(version, key)
    }
}
