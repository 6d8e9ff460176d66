//! Generates a log for other implementations to verify, and verifies theirs; see
//! `scripts/transparency-interop.sh`.
//!
//! ```console
//! interop make FOLDER SIZE    a log of SIZE entries, its proofs, and requests to a witness
//! interop check FOLDER        files of others: policy, published log, proofs, requests
//! ```

use std::{
    env,
    error::Error,
    fs,
    path::{Path, PathBuf},
    sync::Arc,
    time::{SystemTime, UNIX_EPOCH},
};

use pad_disk::layer::Folder;
use transparency_log::{
    Checkpoint, Note, Policy, Timestamp,
    note::{Cosigner, NoteSigner},
    proof::LogProof,
    store::{LogStore, export},
    tile::{Fetch, FetchError, ResourcePath, TileReader},
    witness::{AddCheckpoint, MemoryRecords, Witness},
};

type Result<T> = core::result::Result<T, Box<dyn Error>>;

fn main() -> Result<()> {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match arguments.as_slice() {
        ["make", folder, size] => make(Path::new(folder), size.parse()?),
        ["check", folder] => check(Path::new(folder)),
        _ => Err("usage: interop make FOLDER SIZE | check FOLDER".into()),
    }
}

fn log_key() -> Result<NoteSigner> {
    Ok(NoteSigner::new("log.example/interop".parse()?, &[11; 32]))
}

fn witness_key() -> Result<Cosigner> {
    Ok(Cosigner::new("witness.example/interop".parse()?, &[22; 32]))
}

fn now() -> Result<Timestamp> {
    let seconds = SystemTime::now().duration_since(UNIX_EPOCH)?.as_secs();
    Timestamp::from_seconds(seconds).ok_or_else(|| "the clock is wrong".into())
}

fn entry(index: u64) -> Vec<u8> {
    format!(
        "entry {index} {}",
        "*".repeat((index % 50).try_into().unwrap_or_default())
    )
    .into_bytes()
}

fn make(folder: &Path, size: u64) -> Result<()> {
    for name in ["store", "public", "proofs", "requests"] {
        fs::create_dir_all(folder.join(name))?;
    }
    let (log, cosigner) = (log_key()?, witness_key()?);
    fs::write(folder.join("log.pub"), log.verifier().to_string())?;
    fs::write(folder.join("witness.pub"), cosigner.verifier().to_string())?;
    let layer = Arc::new(Folder::open(&folder.join("store"))?);
    let mut store = LogStore::open(layer, &log.verifier())?;
    let mut published = 0;
    for until in [0, 1, 2, 255, 256, 257, size / 2, size] {
        while store.size() < until.min(size) {
            store.append(&entry(store.size()))?;
        }
        let signed = store.sign(&log)?;
        let checkpoint = Checkpoint::parse(signed.unverified_text())?;
        let mut cosigned = signed.clone();
        cosigned.add(cosigner.cosign(&checkpoint, now()?))?;
        store.publish(&cosigned)?;
        export(store.files(), &folder.join("public"))?;
        let mut reader = TileReader::open(store.files(), &checkpoint)?;
        let request = AddCheckpoint {
            old_size: published,
            proof: reader.prove_consistency(published, store.size())?,
            note: signed,
        };
        let name = format!("{published:020}-{:020}", store.size());
        fs::write(folder.join("requests").join(name), request.encode())?;
        published = store.size();
        let some = [
            0,
            1,
            published / 3,
            published / 2,
            published.saturating_sub(1),
        ];
        for index in some.into_iter().filter(|index| *index < published) {
            let proof = LogProof {
                index,
                path: reader.prove_inclusion(index, published)?,
                note: cosigned.clone(),
                extra: Some(reader.entry(index)?),
            };
            let name = format!("{index}-of-{published}.tlog-proof");
            fs::write(folder.join("proofs").join(name), proof.encode())?;
        }
    }
    println!("made a log of {published} entries");
    Ok(())
}

/// A source of resources: each is the file at its path below the folder.
struct FolderSource(PathBuf);

impl Fetch for FolderSource {
    fn fetch(&self, path: &ResourcePath) -> core::result::Result<Vec<u8>, FetchError> {
        fs::read(self.0.join(path.to_string())).map_err(|_| FetchError::NotFound)
    }
}

fn check(folder: &Path) -> Result<()> {
    let policy: Policy = fs::read_to_string(folder.join("policy"))?.parse()?;
    let public = FolderSource(folder.join("public"));
    let note = Note::parse(&public.fetch(&ResourcePath::Checkpoint)?)?;
    let accepted = policy.verify(&note)?;
    let size = accepted.checkpoint().size();
    let mut reader = TileReader::open(&public, accepted.checkpoint())?;
    let mut entries = 0;
    for index in 0..size.div_ceil(256) {
        entries += reader.bundle(index)?.len();
    }
    println!(
        "checkpoint accepted with {} cosignatures, {entries} of {size} entries verified",
        accepted.cosignatures().len()
    );
    let mut proofs = 0;
    for path in files(&folder.join("proofs"))? {
        let proof = LogProof::parse(&fs::read(&path)?)?;
        let entry = proof.extra.clone().ok_or("a proof without its entry")?;
        proof.verify(&policy, &entry)?;
        if proof.verify(&policy, b"another").is_ok() {
            return Err("a proof proves everything".into());
        }
        proofs += 1;
    }
    println!("{proofs} proofs of inclusion verified");
    let mut witness = Witness::new(witness_key()?, MemoryRecords::default());
    for log in policy.logs() {
        witness.add_log(log.key.name().as_str(), log.key.clone());
    }
    let mut requests = 0;
    for path in files(&folder.join("requests"))? {
        witness.add_checkpoint(&fs::read(&path)?, now()?)?;
        requests += 1;
    }
    println!("{requests} requests cosigned, one after the other");
    Ok(())
}

/// Lists the files of a folder, sorted by name. The list is empty if the folder does not exist.
fn files(folder: &Path) -> Result<Vec<PathBuf>> {
    if !folder.exists() {
        return Ok(Vec::new());
    }
    let entries = fs::read_dir(folder)?.map(|entry| entry.map(|entry| entry.path()));
    let mut files = entries.collect::<core::result::Result<Vec<_>, _>>()?;
    files.sort();
    Ok(files)
}
