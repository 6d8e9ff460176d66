//! Adapter of Meta's auditable key directory, with its in-memory database.

use akd::{
    AkdLabel, AkdValue, AppendOnlyProof, AzksParallelismConfig, Digest, Directory, LookupProof,
    WhatsAppV1Configuration,
    auditor::audit_verify,
    client::lookup_verify,
    ecvrf::HardCodedAkdVRF,
    proto::specs::types,
    storage::{StorageManager, memory::AsyncInMemoryDatabase},
};
use protobuf::Message;
use tokio::runtime::{Builder, Runtime};

use comparison::timing::stopwatch;

use crate::{
    Outcome,
    peer::{About, Claim, Entry, Key, Peer, Published, ensure, limits, of_version, require_latest},
};

/// The directory, the root of each version, and the single-threaded runtime of its asynchronous
/// functions.
pub struct Auditable {
    directory: Directory<WhatsAppV1Configuration, AsyncInMemoryDatabase, HardCodedAkdVRF>,
    public_key: Vec<u8>,
    roots: Vec<Digest>,
    runtime: Runtime,
}

impl Peer for Auditable {
    type Proof = LookupProof;

    fn about() -> About {
        About {
            name: "akd",
            package: "akd",
            licence: "MIT OR Apache-2.0",
            hash: "BLAKE3, and a verifiable random function over each label",
            medium: "memory: hash maps behind locks",
            can_not: &[
                limits::OLD_VERSIONS,
                limits::ABSENCE,
                limits::RANGES,
                limits::SIGNATURES,
                limits::UPDATES,
                limits::REMOVAL,
            ],
            snapshot_includes: "new root; two leaves for each changed key with their random functions, \
                                one for each new key",
            differs: "hides keys and values from each other; proves that the value is the newest; \
                      auditors check each snapshot",
            most_keys: 100_000,
            ..About::THEIRS
        }
    }

    fn new(_: u64) -> Outcome<Self> {
        let runtime = Builder::new_current_thread().build()?;
        let storage = StorageManager::new_no_cache(AsyncInMemoryDatabase::new());
        let directory = Directory::new(storage, HardCodedAkdVRF, AzksParallelismConfig::disabled());
        let directory = runtime.block_on(directory)?;
        let public_key = runtime.block_on(directory.get_public_key())?;
        Ok(Self {
            directory,
            public_key: public_key.as_bytes().to_vec(),
            roots: Vec::new(),
            runtime,
        })
    }

    fn publish(&mut self, changes: &[Entry]) -> Outcome<Published> {
        let entry = |(key, value): &Entry| (AkdLabel(key.to_vec()), AkdValue(value.to_vec()));
        let (us, epoch) = stopwatch(|| {
            let entries = changes.iter().map(entry).collect();
            self.runtime.block_on(self.directory.publish(entries))
        });
        self.roots.push(epoch?.hash());
        Ok(Published::alone(us))
    }

    fn prove(&mut self, version: usize, key: &Key) -> Outcome<LookupProof> {
        require_latest(&self.roots, version)?;
        let label = AkdLabel(key.to_vec());
        Ok(self.runtime.block_on(self.directory.lookup(label))?.0)
    }

    fn verify(&self, version: usize, (key, value): Claim<'_>, proof: LookupProof) -> Outcome<()> {
        let root = *of_version(&self.roots, version)?;
        let (label, epoch) = (AkdLabel(key.to_vec()), u64::try_from(version)?);
        let result =
            lookup_verify::<WhatsAppV1Configuration>(&self.public_key, root, epoch, label, proof);
        let found = result.map_err(|error| error.to_string())?.value.0;
        let is_expected = value.is_some_and(|value| found == value);
        ensure(is_expected, "another answer")
    }

    fn encode(proof: &LookupProof) -> Outcome<Vec<u8>> {
        Ok(types::LookupProof::from(proof).write_to_bytes()?)
    }

    fn prove_growth(&mut self, from: usize) -> Outcome<Option<Vec<u8>>> {
        let (from, to) = (u64::try_from(from)?, u64::try_from(self.roots.len())?);
        let proof = self.runtime.block_on(self.directory.audit(from, to))?;
        Ok(Some(types::AppendOnlyProof::from(&proof).write_to_bytes()?))
    }

    fn verify_growth(&self, from: usize, proof: &[u8]) -> Outcome<()> {
        let proof = types::AppendOnlyProof::parse_from_bytes(proof)?;
        let proof = AppendOnlyProof::try_from(&proof).map_err(|error| format!("{error:?}"))?;
        let roots = self
            .roots
            .get(from - 1..)
            .ok_or("no such version")?
            .to_vec();
        let verified = audit_verify::<WhatsAppV1Configuration>(roots, proof);
        Ok(self.runtime.block_on(verified)?)
    }

    fn decode(&self, bytes: &[u8]) -> Outcome<LookupProof> {
        let proof = types::LookupProof::parse_from_bytes(bytes)?;
        LookupProof::try_from(&proof).map_err(|error| format!("{error:?}").into())
    }
}
