//! The author of the family.

use std::marker::PhantomData;

use ed25519_dalek::SignatureError;
use pad_core::{
    Authored, Authority, Dictionary, Family, Frontier, HeadSigner, Key, Operation, Sha256Ed25519,
    SignedHead, SnapshotHead, Update, Value,
};

use crate::{
    family::{Contents, List, ListProof, Rule},
    repository::ListRepository,
};

pub struct ListAuthor<R> {
    pub authority: Authority,
    pub signer: HeadSigner,
    pub published: Contents,
    /// The published contents with the pending changes.
    pub open: Contents,
    /// The roots of all versions.
    pub history: Frontier<Sha256Ed25519>,
    pub latest: Option<SignedHead<Sha256Ed25519>>,
    pub rule: PhantomData<R>,
}

impl<R: Rule> Authored for List<R> {
    type Attachment = ();
    type Secret = ();
    type AuthorError = SignatureError;
    type Author = ListAuthor<R>;
    type Repository = ListRepository<R>;

    fn generate_secret() -> Result<(), SignatureError> {
        Ok(())
    }

    fn key((): &()) {}

    fn author(authority: Authority, signer: HeadSigner, (): ()) -> ListAuthor<R> {
        ListAuthor {
            authority,
            signer,
            published: Contents::new(),
            open: Contents::new(),
            history: Frontier::default(),
            latest: None,
            rule: PhantomData,
        }
    }
}

impl<R: Rule> Dictionary for ListAuthor<R> {
    type Suite = Sha256Ed25519;
    type Attachment = ();
    type Error = SignatureError;

    fn authority(&self) -> Authority {
        self.authority
    }

    fn head(&self) -> Option<&SignedHead<Sha256Ed25519>> {
        self.latest.as_ref()
    }

    fn len(&self) -> usize {
        self.open.len()
    }

    fn get(&self, key: &[u8]) -> Option<&[u8]> {
        self.open.get(key).map(Value::as_bytes)
    }

    fn put(&mut self, key: Key, value: Value) {
        self.open.insert(key, value);
    }

    fn remove(&mut self, key: &Key) -> bool {
        self.open.remove(key).is_some()
    }

    fn snapshot(&mut self) -> Result<Update<Sha256Ed25519>, SignatureError> {
        let base = self.version();
        let head = SnapshotHead {
            scheme: List::<R>::SCHEME,
            dictionary: self.authority.dictionary,
            version: base.next().expect("fewer than 2^64 versions"),
            root: R::root(&ListProof::<R>::of(&self.open).entries),
            history: self.history.root(),
        };
        let head = head.sign(&self.signer)?;
        let operations = operations(&self.published, &self.open);
        self.published = self.open.clone();
        self.history.append(&head.head.root);
        self.latest = Some(head);
        Ok(Update {
            base,
            operations,
            head,
            attachment: (),
        })
    }
}

/// The changes from one version to the next, in ascending order of keys.
fn operations(before: &Contents, after: &Contents) -> Vec<Operation> {
    let removed = before.keys().filter(|key| !after.contains_key(*key));
    let removed = removed.cloned().map(Operation::Remove);
    let put = after
        .iter()
        .filter(|(key, value)| before.get(*key) != Some(*value));
    let put = put.map(|(key, value)| Operation::Put(key.clone(), value.clone()));
    let mut operations: Vec<Operation> = removed.chain(put).collect();
    operations.sort_by(|one, other| one.key().cmp(other.key()));
    operations
}
