//! Adapter of our trees: an author, a server that applies its updates, and a client that verifies
//! proofs under a known head.

use pad_core::{
    Answer, Answers, Authored, Dictionary, DictionaryId, HeadSigner, PublicKey, Serves,
    Sha256Ed25519, SnapshotHead, Untrusted, Verified, Version, codec, internals::ProofOf,
};
use pad_tree::{
    RedBlackCacheEverywhere, RedBlackPathCopying, TreapCacheEverywhere, TreapPathCopying,
};

use comparison::timing::stopwatch;

use crate::{
    Outcome,
    peer::{About, Claim, Entry, Key, Peer, Published, ensure, of_version},
    signing::Signing,
};

/// Repository type of one of our trees, with its name.
pub trait Named:
    Serves<
        pad_core::Key,
        Family: Answers<pad_core::Key, Proof: Clone> + Authored<Secret = (), Key = ()>,
    >
{
    /// Name of the tree in result rows.
    const NAME: &'static str;
}

impl Named for RedBlackPathCopying<Sha256Ed25519> {
    const NAME: &'static str = "red-black path copying";
}

impl Named for RedBlackCacheEverywhere<Sha256Ed25519> {
    const NAME: &'static str = "red-black cache everywhere";
}

impl Named for TreapPathCopying<Sha256Ed25519> {
    const NAME: &'static str = "treap path copying";
}

impl Named for TreapCacheEverywhere<Sha256Ed25519> {
    const NAME: &'static str = "treap cache everywhere";
}

/// Author, server, and the signed heads that a client trusts.
pub struct Tree<R: Named> {
    author: Option<<R::Family as Authored>::Author>,
    repository: R,
    public: PublicKey<R::Family>,
    heads: Vec<Verified<SnapshotHead<R::Suite>>>,
    signing: Signing,
}

fn key_of(key: &Key) -> Outcome<pad_core::Key> {
    Ok(pad_core::Key::new(*key)?)
}

impl<R: Named> Peer for Tree<R> {
    type Proof = ProofOf<R, pad_core::Key>;

    fn about() -> About {
        About {
            name: R::NAME,
            package: "pad-tree",
            snapshot_includes: "author alone: new root and update, signature apart; it keeps no old \
                                versions",
            differs: "roots are signed and form a history",
            ..About::OURS
        }
    }

    fn new(_: u64) -> Outcome<Self> {
        let signing = Signing::default();
        let public = PublicKey::new(Signing::author_key()?, DictionaryId::from_name("peers"), ());
        let author = R::Family::author(*public.authority(), HeadSigner::new(signing.signer()), ());
        Ok(Self {
            author: Some(author),
            repository: R::create(&public),
            public,
            heads: Vec::new(),
            signing,
        })
    }

    fn publish(&mut self, changes: &[Entry]) -> Outcome<Published> {
        let author = self.author.as_mut().ok_or("the author was forgotten")?;
        let (author_us, update) = stopwatch(|| -> Outcome<_> {
            for (key, value) in changes {
                author.put(pad_core::Key::new(*key)?, pad_core::Value::new(*value)?);
            }
            Ok(author.snapshot()?)
        });
        let update = update?;
        let signature_us = self.signing.take_us();
        let (apply_us, version) = stopwatch(|| self.repository.apply(&update));
        let (version, head): (Version, _) = (version?, Untrusted::new(update.head));
        let (verify_us, head) = stopwatch(|| head.verify(self.public.authority(), &version));
        self.heads.push(head?);
        Ok(Published {
            us: author_us - signature_us,
            signature_us: Some(signature_us),
            apply_us: Some(apply_us),
            verify_signature_us: Some(verify_us),
            update_bytes: Some(codec::encode(&update).len()),
        })
    }

    fn prove(&mut self, version: usize, key: &Key) -> Outcome<Self::Proof> {
        let version = Version::new(u64::try_from(version)?);
        Ok(self.repository.prove_answer(version, &key_of(key)?)?)
    }

    fn verify(&self, version: usize, (key, value): Claim<'_>, proof: Self::Proof) -> Outcome<()> {
        let (head, key) = (of_version(&self.heads, version)?, key_of(key)?);
        let proof = Untrusted::new(proof);
        let lookup = <R::Family as Answers<_>>::verify(proof, &self.public, head, &key)?;
        let is_expected = match (&lookup.get().answer, value) {
            (Answer::Present(found), Some(value)) => found.as_bytes() == value,
            (Answer::Absent, None) => true,
            _ => false,
        };
        ensure(is_expected, "another answer")
    }

    fn encode(proof: &Self::Proof) -> Outcome<Vec<u8>> {
        Ok(codec::encode_body(proof))
    }

    fn decode(&self, bytes: &[u8]) -> Outcome<Self::Proof> {
        Ok(codec::decode_body(bytes)?)
    }

    fn forget_author(&mut self) {
        self.author = None;
    }
}
