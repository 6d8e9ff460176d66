//! Adapter of our append-only dictionary whose lookups prove the number of a key's values.

use std::sync::Arc;

use pad_accumulators::{SecretKey, bilinear::BilinearSecretKey, wire};
use pad_core::{HeadSigner, Untrusted, Workers, codec};
use pad_log::{
    AadCounted, AppendOnlyProof, Growth, LONGEST_GROWTH, Log, LogAuthor, LogRepository, LogRoot,
    LookupProof, Schedule, Setup, Shape,
};

use comparison::timing::stopwatch;

use crate::{
    Outcome,
    peer::{About, Claim, Entry, Key, Peer, Published, ensure, limits, of_version},
    signing::Signing,
};

/// Author, server, and the roots that a client trusts.
pub struct Counted {
    author: Option<LogAuthor<AadCounted>>,
    server: LogRepository<AadCounted>,
    log: Log<AadCounted>,
    roots: Vec<LogRoot<AadCounted>>,
    signing: Signing,
}

impl Peer for Counted {
    type Proof = LookupProof<AadCounted>;

    fn about() -> About {
        About {
            name: "aad-counted",
            package: "aad",
            hash: "SHA-256, and commitments over BLS12-381",
            can_not: &[limits::RANGES, limits::REMOVAL],
            snapshot_includes: "author alone: new root and update, signature apart",
            differs: "proves all values of a key to everybody, hides none; one proof that a version \
                      contains any older one, without auditors",
            most_keys: 10_000,
            ..About::OURS
        }
    }

    fn new(keys: u64) -> Outcome<Self> {
        let alone = Workers::sequential();
        // The largest trees have `keys` entries, rounded down to a power of two. Later snapshots
        // fill smaller trees.
        let top = keys.max(16).ilog2();
        let secret = BilinearSecretKey::generate(1 << top, 1, b"peers", &alone)?;
        let parameters = secret.public_key().shared_parameters();
        let shape = Shape::new(u8::try_from(top)?, Schedule::Eager).ok_or("no such shape")?;
        let log = Log::new("peers".into(), Setup::new(Arc::clone(&parameters), shape));
        let (signing, public) = (Signing::default(), Signing::author_key()?);
        let signer = HeadSigner::new(signing.signer());
        Ok(Self {
            author: Some(LogAuthor::new(log.clone(), public, signer, alone.clone())?),
            server: LogRepository::new(log.clone(), public, alone)?,
            log,
            roots: Vec::new(),
            signing,
        })
    }

    fn publish(&mut self, changes: &[Entry]) -> Outcome<Published> {
        let author = self.author.as_mut().ok_or("the author was forgotten")?;
        let (author_us, update) = stopwatch(|| -> Outcome<_> {
            for (key, value) in changes {
                let (key, value) = (pad_core::Key::new(*key)?, pad_core::Value::new(*value)?);
                author.append(pad_log::Entry { key, value })?;
            }
            Ok(author.snapshot()?)
        });
        let (update, signature_us) = (update?, self.signing.take_us());
        let (apply_us, version) = stopwatch(|| self.server.apply(&update));
        let (version, authority) = (version?, author.authority());
        let head = Untrusted::new(update.head);
        let (verify_us, head) = stopwatch(|| head.verify(&authority, &version));
        self.roots.push(self.log.at(&head?)?);
        Ok(Published {
            us: author_us - signature_us,
            signature_us: Some(signature_us),
            apply_us: Some(apply_us),
            verify_signature_us: Some(verify_us),
            update_bytes: Some(codec::encode(&update).len()),
        })
    }

    fn prove(&mut self, version: usize, key: &Key) -> Outcome<Self::Proof> {
        let version = pad_core::Version::new(u64::try_from(version)?);
        let key = pad_core::Key::new(*key)?;
        Ok(pad_core::Repository::prove(&self.server, version, &key)?)
    }

    fn verify(&self, version: usize, (key, value): Claim<'_>, proof: Self::Proof) -> Outcome<()> {
        let root = of_version(&self.roots, version)?;
        let values = Untrusted::new(proof).verify(root, &pad_core::Key::new(*key)?)?;
        let last = values.get().values.last().map(pad_core::Value::as_bytes);
        let is_expected = last == value.map(<[u8; 32]>::as_slice);
        ensure(is_expected, "another answer")
    }

    fn encode(proof: &Self::Proof) -> Outcome<Vec<u8>> {
        Ok(wire::encode_body(proof))
    }

    fn decode(&self, bytes: &[u8]) -> Outcome<Self::Proof> {
        Ok(wire::decode_body(&(), bytes)?)
    }

    fn prove_growth(&mut self, from: usize) -> Outcome<Option<Vec<u8>>> {
        let from = pad_core::Version::new(u64::try_from(from)?);
        let proof = self.server.prove_append_only(from, self.server.latest())?;
        Ok(Some(wire::encode(&proof)))
    }

    fn verify_growth(&self, from: usize, proof: &[u8]) -> Outcome<()> {
        let old = of_version(&self.roots, from)?;
        let new = self.roots.last().ok_or("no version")?;
        let growth = Growth::new(old.clone(), new.clone())?;
        let proof = wire::decode::<AppendOnlyProof<AadCounted>>(&(), proof, LONGEST_GROWTH)?;
        proof.verify(&growth, &())?;
        Ok(())
    }

    fn forget_author(&mut self) {
        self.author = None;
    }
}
