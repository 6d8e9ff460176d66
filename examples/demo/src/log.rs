//! Demonstrates an append-only log of root certificates with an untrusted operator.

use std::sync::Arc;

use ed25519_dalek::SigningKey;
use pad_accumulators::{bilinear::Parameters, wire};
use pad_core::{
    AuthorKey, HeadSigner, Heads as _, Key, Operation, Repository as _, Value, Version, Workers,
    codec,
};
use pad_log::{
    AadCounted, Continuation, Entry, LONGEST_LOOKUP, Log, LogAuthor, LogClient, LogRefusal,
    LogRepository, LookupProof, Schedule, Setup, Shape,
};

use crate::{
    prices,
    report::{Act, Outcome, lies},
};

type Client = LogClient<AadCounted>;
type Server = LogRepository<AadCounted>;

/// Parameters of the Ethereum project's ceremony, for trees of up to `2^11` certificates.
const CEREMONY: &[u8] =
    include_bytes!("../../../crates/authdict/data/ethereum-kzg-2023.parameters");
const TOP_LEVEL: u8 = 11;

/// Publishes the log, follows it and queries it. Then the log gives false answers to the owner of a
/// name and to other clients.
pub(crate) fn show() -> Outcome<Act> {
    let mut batches = certificates()?;
    let parameters = wire::decode::<Parameters>(&Workers::all_cores(), CEREMONY, CEREMONY.len())?;
    let shape = Shape::new(TOP_LEVEL, Schedule::Eager).ok_or("no such shape")?;
    let setup = Setup::new(Arc::new(parameters.into_unverified()), shape);
    let log = Log::new("certificates".into(), setup);
    let (server, author) = publish(&log, &batches)?;
    let mut client = LogClient::new(log.clone(), author);
    for version in 1..=server.latest().number() {
        offer(&server, &mut client, Version::new(version))??;
    }
    let latest = client.version();
    let name = Key::try_from("CN=GTS Root R1,O=Google Trust Services LLC,C=US")?;
    let nobody = Key::try_from("CN=Example Root,O=Example,C=XX")?;
    // The list of values is at the end of the proof. It consists of the number of values, and of
    // each value after its length in four bytes.
    let mut hidden = wire::encode(&server.prove(latest, &name)?);
    let values = check(&client, &name, &hidden)?;
    let mut lengths = values.iter().map(|value| value.as_bytes().len() + 4);
    let place = hidden.len() - 4 - lengths.clone().sum::<usize>();
    let fewer = u32::try_from(values.len() - 1)?;
    hidden[place..place + 4].copy_from_slice(&fewer.to_be_bytes());
    hidden.truncate(hidden.len() - lengths.next_back().unwrap_or(0));
    let old = wire::encode(&server.prove(Version::new(1), &name)?);
    let absent = wire::encode(&server.prove(latest, &nobody)?);
    if !check(&client, &nobody, &absent)?.is_empty() {
        return Err("the log has certificates of nobody".into());
    }
    let count = batches.iter().map(Vec::len).sum::<usize>();
    for batch in &mut batches {
        batch.retain(|entry| entry.key != name);
    }
    batches.push(vec![entry(&nobody, Value::default())?]);
    let (forgotten, _) = publish(&log, &batches)?;
    let offered = offer(&forgotten, &mut client.clone(), forgotten.latest())?;
    let (hidden, old) = (check(&client, &name, &hidden), check(&client, &name, &old));
    let lies = lies! {
        "hidden value": "left a certificate out of its answer", hidden;
        "old answer": "answered with the proof of version 1", old;
        "forgotten name": "signed a version without the certificates of a name", offered;
    };
    let (found, n) = (values.len(), lies.len());
    let text = format!(
        "{count} root certificates by name in {latest} versions of an append-only dictionary. The \
         client\n\
         does not trust the operator that signs the versions. Each version was proved to \
         contain\n\
         the version before. One proof shows that a name has exactly {found} certificates, \
         another\n\
         that a name has none. {n} of {n} lies refused."
    );
    Ok(Act("Append-only log", text, Vec::new(), lies))
}

fn entry(name: impl AsRef<[u8]>, fingerprint: impl AsRef<[u8]>) -> Outcome<Entry> {
    let (key, value) = (Key::new(name.as_ref())?, Value::new(fingerprint.as_ref())?);
    Ok(Entry { key, value })
}

/// Returns the certificates of each release, by name. A removal of trust does not remove an entry
/// from the log.
fn certificates() -> Outcome<Vec<Vec<Entry>>> {
    let mut batches = Vec::new();
    for (_, operations) in prices::read(include_bytes!("../../../data/ca-roots.csv.zst"))? {
        let entries = operations
            .into_iter()
            .filter_map(|operation| match operation {
                Operation::Put(fingerprint, name) => Some(entry(&name, &fingerprint)),
                Operation::Remove(_) => None,
            });
        batches.push(entries.collect::<Outcome<Vec<_>>>()?);
    }
    batches.retain(|entries| !entries.is_empty());
    Ok(batches)
}

/// Creates a server with one version for each batch. Returns it with the author's public key.
fn publish(log: &Log<AadCounted>, batches: &[Vec<Entry>]) -> Outcome<(Server, AuthorKey)> {
    let (signer, workers) = (SigningKey::from_bytes(&[42; 32]), Workers::all_cores());
    let public = AuthorKey::of(&signer)?;
    let signer = HeadSigner::new(signer);
    let mut author = LogAuthor::new(log.clone(), public, signer, workers.clone())?;
    let mut server = LogRepository::new(log.clone(), public, workers)?;
    for batch in batches {
        batch
            .iter()
            .try_for_each(|entry| author.append(entry.clone()))?;
        server.apply(&author.snapshot()?)?;
    }
    Ok((server, public))
}

/// Offers a version to a client, with the proofs that it contains the newest version seen by the
/// client.
fn offer(
    server: &Server,
    client: &mut Client,
    version: Version,
) -> Outcome<Result<Version, LogRefusal>> {
    let (head, seen) = (codec::encode(&server.head(version)?), client.version());
    if seen == Version::EMPTY {
        return Ok(client.advance(&head, None));
    }
    let consistency = &codec::encode(&server.heads().prove_consistency(seen, version)?);
    let append_only = &wire::encode(&server.prove_append_only(seen, version)?);
    let continuation = Continuation {
        consistency,
        append_only,
    };
    Ok(client.advance(&head, Some(continuation)))
}

/// Verifies the proof of all values of a key in the newest version that a client has seen. Returns
/// the values.
fn check(client: &Client, key: &Key, proof: &[u8]) -> Result<Vec<Value>, LogRefusal> {
    let newest = client.newest()?;
    let values = client.check::<LookupProof<_>>(proof, LONGEST_LOOKUP, &newest, key)?;
    Ok(values.into_inner().values)
}
