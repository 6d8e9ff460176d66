//! Dictionary without a tree: a table of the database redb, with a signature of the author in
//! each row.

use pad_core::{AuthorKey, HeadSignature};
use redb::{Database, ReadableDatabase as _, TableDefinition};
use signature::Signer as _;
use tempfile::TempDir;

use comparison::timing::stopwatch;

use crate::{
    Outcome,
    peer::{
        About, Claim, Entry, Key, Peer, Published, allocated_bytes, ensure, length_prefixed, limits,
    },
    signing::Signing,
};

/// Table of the value of each key, with the signature of key and value.
const ROWS: TableDefinition<'_, &Key, (&[u8; 32], &[u8; 64])> = TableDefinition::new("rows");

/// The database, its folder, and the author's keys.
pub struct SignedRows {
    database: Database,
    folder: TempDir,
    signing: Signing,
    public: AuthorKey,
    versions: usize,
}

impl Peer for SignedRows {
    type Proof = HeadSignature;

    fn about() -> About {
        About {
            // Without a comma, because the command line separates names with commas.
            name: "redb with signed rows",
            package: "redb",
            licence: "MIT OR Apache-2.0",
            hash: "SHA-512, within Ed25519",
            medium: "a file, synchronised with each snapshot; a cache in memory",
            can_not: &[
                limits::OLD_VERSIONS,
                limits::ABSENCE,
                limits::RANGES,
                limits::REMOVAL,
                "signed versions",
                limits::UPDATES,
            ],
            snapshot_includes: "changed rows written in one durable transaction; their signatures, \
                                one for each row, apart",
            differs: "no freshness: a server can answer with any older signed value of the key, \
                      also after removal; a proof is the row's signature, without its value",
            ..About::THEIRS
        }
    }

    fn new(_: u64) -> Outcome<Self> {
        let folder = tempfile::tempdir()?;
        Ok(Self {
            database: Database::create(folder.path().join("rows.redb"))?,
            folder,
            signing: Signing::default(),
            public: Signing::author_key()?,
            versions: 0,
        })
    }

    fn publish(&mut self, changes: &[Entry]) -> Outcome<Published> {
        // Created before the time starts, because it derives the public key.
        let signer = self.signing.signer();
        let (all_us, done) = stopwatch(|| -> Outcome<()> {
            let mut changes: Vec<&Entry> = changes.iter().collect();
            changes.sort_unstable_by_key(|(key, _)| *key);
            let writing = self.database.begin_write()?;
            let mut rows = writing.open_table(ROWS)?;
            for (key, value) in changes {
                let signature = signer.try_sign(&length_prefixed((key, value)))?;
                rows.insert(key, (value, &signature.to_bytes()))?;
            }
            drop(rows);
            Ok(writing.commit()?)
        });
        done?;
        self.versions += 1;
        let signature_us = self.signing.take_us();
        Ok(Published {
            us: all_us - signature_us,
            signature_us: Some(signature_us),
            ..Published::default()
        })
    }

    fn prove(&mut self, version: usize, key: &Key) -> Outcome<HeadSignature> {
        self.require_latest(version)?;
        let rows = self.database.begin_read()?.open_table(ROWS)?;
        let row = rows.get(key)?.ok_or("no such key")?;
        let (_, signature) = row.value();
        Ok(HeadSignature::from_bytes(signature))
    }

    fn verify(&self, version: usize, (key, value): Claim<'_>, proof: HeadSignature) -> Outcome<()> {
        self.require_latest(version)?;
        let value = value.ok_or("absence cannot be proved")?;
        let signed = length_prefixed((key, value));
        Ok(self.public.verify(&signed, &proof)?)
    }

    fn encode(proof: &HeadSignature) -> Outcome<Vec<u8>> {
        Ok(proof.to_bytes().to_vec())
    }

    fn decode(&self, bytes: &[u8]) -> Outcome<HeadSignature> {
        Ok(HeadSignature::from_slice(bytes)?)
    }

    fn stored_bytes(&self) -> Outcome<Option<u64>> {
        allocated_bytes(self.folder.path()).map(Some)
    }
}

impl SignedRows {
    fn require_latest(&self, version: usize) -> Outcome<()> {
        ensure(version == self.versions, "only the latest version is there")
    }
}
