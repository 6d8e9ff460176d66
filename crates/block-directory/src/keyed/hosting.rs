//! Authors and servers of keyed directories, as `pad-core` needs them.

use pad_core::{
    Authored, HeadSigner, Heads, Hosts, LookupError, PublicKey, Serves, Suite, Version,
    head::Authority,
};
use pad_tree::{ProvableQuery, TreeProof};

use super::{author::KeyedAuthor, block::Capacity, directory::KeyedDirectory, family::KeyedBlocks};
use crate::author::AuthorError;

impl<S: Suite> Authored for KeyedBlocks<S> {
    type Attachment = ();
    type Secret = ();
    type AuthorError = AuthorError;
    type Author = KeyedAuthor<S>;
    type Repository = KeyedDirectory<S>;

    fn generate_secret() -> Result<(), AuthorError> {
        Ok(())
    }

    fn key((): &()) {}

    fn author(authority: Authority, signer: HeadSigner, (): ()) -> KeyedAuthor<S> {
        KeyedAuthor::empty(authority, signer, Capacity::BLOCK_TREE)
    }
}

impl<S: Suite> Hosts for KeyedDirectory<S> {
    type Family = KeyedBlocks<S>;

    fn create(public: &PublicKey<KeyedBlocks<S>>) -> Self {
        Self::empty(*public.authority(), Capacity::BLOCK_TREE)
    }

    fn resume(&self, signer: HeadSigner, (): ()) -> Result<KeyedAuthor<S>, AuthorError> {
        Ok(KeyedAuthor::resume(self, signer))
    }

    fn heads(&self) -> impl Heads<S> {
        self.heads()
    }
}

impl<S: Suite, Q: ProvableQuery> Serves<Q> for KeyedDirectory<S> {
    fn prove_answer(&self, version: Version, question: &Q) -> Result<TreeProof<S, Q>, LookupError> {
        Ok(self.prove_query(version, question)?)
    }
}
