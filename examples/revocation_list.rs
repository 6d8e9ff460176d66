//! Which certificate authorities may a browser trust? A directory of root certificates, with additions
//! and revocations over eleven years, that an untrusted mirror serves with proofs of constant size.
//!
//! The **author** (who runs the root programme) signs tuples: "this certificate is trusted, and between
//! it and the next one there is no other". A **mirror** that nobody trusts keeps every version. A
//! **client** keeps the author's public key, and learns for any release whether a certificate was
//! trusted in it, or was not.
//!
//! Run with `cargo run --release -p examples --example revocation_list`.

use std::{error::Error, path::Path};

use ed25519_dalek::SigningKey;
use pad::trace::TraceReader;
use pad_core::{
    AuthorKey, Dictionary, DictionaryId, Key, Operation, Repository, Sha256Ed25519, Untrusted,
    VerifyError, Version, codec, head::Authority,
};
use pad_tree::{Answer, Lookup};
use pad_tuple::{
    Expectation, TupleAuthor, TupleProof, TupleRepository, chain::ChainSecret,
    designs::SpecLightweight,
};

type Author = TupleAuthor<Sha256Ed25519, SpecLightweight, SigningKey>;
type Mirror = TupleRepository<Sha256Ed25519, SpecLightweight>;
type Proof = TupleProof<Sha256Ed25519, SpecLightweight>;

/// The certificates that the root programme trusted, release by release; see `data/README.md`.
const TRACE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../data/ca-roots.csv.zst");

/// A certification authority of `WoSign`, which was caught backdating certificates.
const WOSIGN: &str = "4b22d5a6aec99f3cdb79aa5ec06838479cd5ecba7164f7f22dc1d65f63d85708";

/// A certificate that no release ever trusted.
const STRANGER: &str = "5bad000000000000000000000000000000000000000000000000000000000000";

/// More than any proof of this example has, in bytes.
const LIMIT: usize = 4096;

fn main() -> Result<(), Box<dyn Error>> {
    // 1. The author's signing key, and a second secret for the hash chains of its lightweight
    //    signatures. Real ones are random; these make the output the same every time.
    let signer = SigningKey::from_bytes(&[42; 32]);
    let public = AuthorKey::from_bytes(&signer.verifying_key().to_bytes())?;
    let chains = ((), ChainSecret::from_bytes([43; 32]));
    let id = DictionaryId::from_name("trusted roots");
    let mut author = Author::new(id, public, signer, chains);
    let mut mirror = Mirror::new(author.authority(), ());

    // 2. Each release is one snapshot. The author sends the changes, one head, and for each tuple of
    //    the young generation a signature or, far more often, one link of its hash chain. The old
    //    generation holds all the certificates that did not change lately, and costs nothing until
    //    the author merges the two.
    let mut releases = Vec::new();
    for release in TraceReader::open(Path::new(TRACE))? {
        let release = release?;
        let changes = release.operations.len();
        let update = author.snapshot_of(release.operations)?;
        let version = mirror.apply(&update)?;
        let tuples = author.tuples();
        if version.number() <= 3 || version.number().is_multiple_of(14) {
            println!(
                "author: release {} is version {version}: {changes} changes, {} certificates, \
                 {} young and {} old tuples, {} bytes sent",
                release.name,
                author.len(),
                tuples[0],
                tuples[1],
                codec::encode(&update).len()
            );
        }
        releases.push((release.name, version));
    }

    // 3. A client trusts the author's key, for this dictionary, and nothing else.
    let client = Client {
        authority: author.authority(),
    };
    let first = releases.first().ok_or("the trace is empty")?.1;
    let last = releases.last().ok_or("the trace is empty")?.1;

    // 4. Was WoSign trusted in the first release? Is it today? One proof each, of a few hundred bytes,
    //    however many certificates there are.
    let wosign = Key::try_from(WOSIGN)?;
    for version in [first, last] {
        let proof = codec::encode(&mirror.prove(version, &wosign)?);
        let lookup = client.ask(version, &wosign, &proof)?;
        println!("client: {} ({} bytes)", told(&lookup), proof.len());
    }

    // 5. When was it revoked? The mirror says; two proofs show that it is true: trusted in the release
    //    before, not in this one.
    let revoked = releases
        .iter()
        .map(|(_, version)| *version)
        .find(|version| matches!(mirror.lookup(*version, &wosign), Ok(None)))
        .ok_or("it was never revoked")?;
    let before = revoked.previous().ok_or("it was never trusted")?;
    for version in [before, revoked] {
        let proof = codec::encode(&mirror.prove(version, &wosign)?);
        println!("client: {}", told(&client.ask(version, &wosign, &proof)?));
    }

    // 6. That a certificate was never heard of has a proof of the same size: the tuple around the gap.
    let stranger = Key::try_from(STRANGER)?;
    let absence = codec::encode(&mirror.prove(last, &stranger)?);
    println!(
        "client: {} ({} bytes)",
        told(&client.ask(last, &stranger, &absence)?),
        absence.len()
    );

    // 7. A mirror that is paid to hide the revocation has genuine tuples of the release before, with
    //    genuine signatures. They say that the certificate was trusted, then; not that it is now.
    let stale = codec::encode(&mirror.prove(before, &wosign)?);
    println!(
        "client: yesterday's proof for today: {}",
        refusal(client.ask(revoked, &wosign, &stale))?
    );

    // 8. Nor do the parts help. Here is the young generation's tuple of today, which says that the
    //    certificate was removed or says nothing of it, taken out; only the old one is shown.
    let mut hiding = mirror.prove(last, &stranger)?;
    hiding.parts.remove(0);
    println!(
        "client: the old generation alone: {}",
        refusal(client.ask(last, &stranger, &codec::encode(&hiding)))?
    );

    // 9. The author comes back after a crash, from its own copy of the repository. It takes up every
    //    hash chain where it was.
    let signer = SigningKey::from_bytes(&[42; 32]);
    let chains = ((), ChainSecret::from_bytes([43; 32]));
    let mut author = Author::resume(&mirror, signer, chains)?;
    let update = author.snapshot_of(vec![Operation::Remove(trusted(&mirror, last)?)])?;
    let next = mirror.apply(&update)?;
    println!(
        "author: back again, version {next} revokes one more: {} certificates",
        author.len()
    );
    Ok(())
}

/// Some certificate that a version trusts.
fn trusted(mirror: &Mirror, version: Version) -> Result<Key, Box<dyn Error>> {
    let entries = mirror.entries(version)?;
    Ok(entries.into_keys().next().ok_or("none is trusted")?)
}

/// What asks: it knows the author and the dictionary.
struct Client {
    authority: Authority,
}

impl Client {
    /// What the author said about a certificate in a version, from bytes that anybody may have sent.
    fn ask(&self, version: Version, key: &Key, proof: &[u8]) -> Result<Lookup, Box<dyn Error>> {
        let expectation = Expectation {
            authority: self.authority,
            key: (),
            version,
        };
        let received = Untrusted::<Proof>::decode(proof, LIMIT)?;
        Ok(received.verify(&expectation, key)?.into_inner())
    }
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

/// Why the client refused; an error if it did not.
fn refusal(answer: Result<Lookup, Box<dyn Error>>) -> Result<VerifyError, Box<dyn Error>> {
    match answer {
        Ok(lookup) => Err(format!("the client believed that {}", told(&lookup)).into()),
        Err(error) => Ok(*error.downcast::<VerifyError>()?),
    }
}

#[test]
fn runs() {
    main().unwrap();
}
