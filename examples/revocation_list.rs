//! Publishes the root certificates trusted by a browser, with additions and revocations over eleven
//! years. An untrusted mirror serves the list with proofs of constant size.
//!
//! The **author** (the operator of the root programme) signs tuples: "this certificate is trusted,
//! and between it and the next one there is no other". An untrusted **mirror** keeps every version.
//! A **client** keeps the author's public key. For any release, it verifies whether a certificate
//! was trusted.
//!
//! Run with `cargo run --release -p examples --example revocation_list`.

use std::{error::Error, path::Path};

use authdict::trace::TraceReader;
use ed25519_dalek::SigningKey;
use pad_core::{
    Answer, Author, Client, Key, Lookup, Refusal, RefusalOf, Repository, Response, Server,
    Sha256Ed25519, Verified, VerifyError, Version, codec,
};
use pad_tuple::{ChainSecret, Tuple, TupleRepository, designs::SpecLightweight};

/// The family of the dictionary.
type Roots = Tuple<SpecLightweight>;
type Mirror = TupleRepository<Sha256Ed25519, SpecLightweight>;

/// The certificates that the root programme trusted, release by release; see `data/README.md`.
const TRACE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../data/ca-roots.csv.zst");

/// The fingerprint of a root certificate of `WoSign`, which was caught backdating certificates.
const WOSIGN: &str = "4b22d5a6aec99f3cdb79aa5ec06838479cd5ecba7164f7f22dc1d65f63d85708";

/// The fingerprint of a certificate that no release ever trusted.
const STRANGER: &str = "5bad000000000000000000000000000000000000000000000000000000000000";

fn main() -> Result<(), Box<dyn Error>> {
    // 1. The author's signing key, and a second secret for the hash chains of its lightweight
    //    signatures. Real keys are random; these keys make the output deterministic.
    let signer = SigningKey::from_bytes(&[42; 32]);
    let chains = ((), ChainSecret::from_bytes([43; 32]));
    let mut author = Author::<Roots>::with_secret("trusted roots", signer, chains)?;
    let mut mirror = Server::<Roots>::new(author.public());

    // 2. Each release is one snapshot. The author sends the changes and one head. For each tuple of
    //    the young generation, it sends a signature or, far more often, one link of its hash chain.
    //    The old generation contains all certificates that did not change recently. It costs
    //    nothing until the author merges both generations.
    let mut releases = Vec::new();
    for release in TraceReader::open(Path::new(TRACE))? {
        let release = release?;
        let changes = release.operations.len();
        let update = codec::encode(&author.dictionary_mut().snapshot_of(release.operations)?);
        let version = mirror.apply(&update)?;
        let tuples = author.dictionary().tuples();
        if version.number() <= 3 || version.number().is_multiple_of(14) {
            println!(
                "author: release {} is version {version}: {changes} changes, {} certificates, \
                 {} young and {} old tuples, {} bytes sent",
                release.name,
                author.len(),
                tuples[0],
                tuples[1],
                update.len()
            );
        }
        releases.push((release.name, version));
    }

    // 3. A client trusts only the author's key, for this dictionary. Its queries name a release.
    let client = Client::<Roots>::new(author.public().clone());
    let first = releases.first().ok_or("the trace is empty")?.1;
    let last = releases.last().ok_or("the trace is empty")?.1;

    // 4. Was WoSign trusted in the first release, and is it today? Each answer is one proof of a
    //    few hundred bytes, regardless of the number of certificates.
    let wosign = Key::try_from(WOSIGN)?;
    for version in [first, last] {
        let answer = mirror.answer(version, &wosign)?;
        let lookup = client.check_at(version, &answer, &wosign)?;
        println!("client: {} ({} bytes)", told(lookup.get()), answer.len());
    }

    // 5. When was WoSign revoked? The mirror claims a release. Two proofs confirm the claim: the
    //    certificate is trusted in the release before, and not in this one.
    let revoked = releases
        .iter()
        .map(|(_, version)| *version)
        .find(|version| matches!(mirror.repository().lookup(*version, &wosign), Ok(None)))
        .ok_or("it was never revoked")?;
    let before = revoked.previous().ok_or("it was never trusted")?;
    for version in [before, revoked] {
        let answer = mirror.answer(version, &wosign)?;
        let lookup = client.check_at(version, &answer, &wosign)?;
        println!("client: {}", told(lookup.get()));
    }

    // 6. The absence of an unknown certificate has a proof of similar size: the tuple around the
    //    gap.
    let stranger = Key::try_from(STRANGER)?;
    let absence = mirror.answer(last, &stranger)?;
    println!(
        "client: {} ({} bytes)",
        told(client.check_at(last, &absence, &stranger)?.get()),
        absence.len()
    );

    // 7. A malicious mirror that hides the revocation has genuine signed tuples of the release
    //    before. These prove that the certificate was trusted then, not that it is trusted now.
    let stale = mirror.repository().prove(before, &wosign)?;
    let stale = codec::encode(&Response::new(mirror.repository(), revoked, stale)?);
    println!(
        "client: yesterday's proof for today: {}",
        refusal(client.check_at(revoked, &stale, &wosign))?
    );

    // 8. The client also refuses a proof without some of its parts. Without the young generation's
    //    current tuple, a proof contains only the old tuple, which does not show a removal.
    let mut hiding = mirror.repository().prove(last, &stranger)?;
    hiding.parts.remove(0);
    let hiding = codec::encode(&Response::new(mirror.repository(), last, hiding)?);
    println!(
        "client: the old generation alone: {}",
        refusal(client.check_at(last, &hiding, &stranger))?
    );

    // 9. The author recovers from a crash with a copy of the repository, here the mirror's. It
    //    continues every hash chain from its last link.
    let signer = SigningKey::from_bytes(&[42; 32]);
    let chains = ((), ChainSecret::from_bytes([43; 32]));
    let mut author = Author::<Roots>::resume(mirror.repository(), signer, chains)?;
    author.remove(trusted(mirror.repository(), last)?)?;
    let next = mirror.apply(&author.snapshot()?)?;
    println!(
        "author: back again, version {next} revokes one more: {} certificates",
        author.len()
    );
    Ok(())
}

/// Returns the first certificate that a version trusts.
fn trusted(mirror: &Mirror, version: Version) -> Result<Key, Box<dyn Error>> {
    let entries = mirror.entries(version)?;
    Ok(entries.into_keys().next().ok_or("none is trusted")?)
}

fn told(lookup: &Lookup) -> String {
    let Lookup {
        version,
        key,
        answer,
    } = lookup;
    let short: String = key.to_string().chars().take(8).collect();
    match answer {
        Answer::Present(subject) => format!("{short} is trusted in version {version}: {subject}"),
        Answer::Absent => format!("{short} is not trusted in version {version}"),
    }
}

/// Returns the reason for the client's refusal, or an error if the client accepted.
fn refusal(
    answer: Result<Verified<Lookup>, RefusalOf<Roots>>,
) -> Result<VerifyError, Box<dyn Error>> {
    match answer {
        Ok(lookup) => Err(format!("the client believed that {}", told(lookup.get())).into()),
        Err(Refusal::Proof(error)) => Ok(error),
        Err(refusal) => Err(refusal.into()),
    }
}

#[test]
fn runs() {
    main().unwrap();
}
