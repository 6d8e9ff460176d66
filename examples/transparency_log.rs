//! Finds all certificates of a name in a log of root certificates, with the name in a certificate
//! as the key. Lookups are complete, and no logged entry can be removed.
//!
//! The **log** appends certificates and signs versions. It is untrusted: the signature shows the
//! origin of a version, not that it is correct. An **auditor** owns no name. It follows the log,
//! and accepts a version only with the proof that it contains the one before. The **owner** of a
//! name asks for all certificates of the name, and recognises foreign ones. A **browser** accepts a
//! certificate only if it is in the log. In the end, the log tries to hide a certificate from the
//! owner and show it to the others.
//!
//! Run with `cargo run --release -p examples --example transparency_log`.

use std::{
    error::Error,
    path::Path,
    time::{Duration, Instant},
};

use authdict::{LogParameters, trace::TraceReader};
use ed25519_dalek::SigningKey;
use pad_accumulators::wire;
use pad_core::{
    AuthorKey, Authority, ForkEvidence, HeadSigner, Heads as _, Key, Operation, Repository as _,
    Sha256Ed25519, SignedHead, SnapshotHead, Value, Version, Workers, codec,
};
use pad_log::{
    AadCounted, Continuation, Entries, Entry, InclusionProof, LONGEST_LOOKUP, LONGEST_PROOF, Log,
    LogAuthor, LogClient, LogRefusal, LogRepository, LookupProof, Schedule, Setup, Shape,
};

type Outcome<T> = Result<T, Box<dyn Error>>;

/// Root certificates of eleven years, release by release; see `data/README.md`.
const TRACE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../data/ca-roots.csv.zst");

/// Level of the largest trees: 2^9 = 512 certificates, more than the trace.
const TOP_LEVEL: u8 = 9;

/// A name, and the fingerprints of the certificates that its owner asked for.
const NAME: &str = "CN=GTS Root R1,O=Google Trust Services LLC,C=US";
const OWN: [&str; 2] = [
    "2a575471e31340bc21581cbd2cf13e158463203ece94bcf9d3cc196bf09a5472",
    "d947432abde7b7fa90fc2e6b59101b1280e0e1c7e4e40fa3c6887fff57a7f4cf",
];

/// A name without an owner.
const NOBODY: &str = "CN=Example Root,O=Example,C=XX";

/// The fingerprint of a certificate that an authority was tricked into making.
const FORGED: &str = "5bad000000000000000000000000000000000000000000000000000000000000";

fn main() -> Outcome<()> {
    // 1. The log publishes the certificates of eleven years. An auditor that has only the log's
    //    key and setup follows every version.
    let releases = releases()?;
    let setup = setup()?;
    let mut honest = Publisher::new(&setup)?;
    let mut auditor = honest.client()?;
    follow_every_version(&mut honest, &mut auditor, &releases)?;

    // 2. The owner of a name queries once, about the newest version. Append-only proofs ensure that
    //    it contains all older versions.
    let mut owner = honest.client()?;
    let newest = honest.server.latest();
    Step::of(&honest.server, Version::EMPTY, newest)?.offer(&mut owner)?;
    let found = strangers(&look_up(&owner, &honest.server, NAME)?);
    println!("owner: {} of them are not mine", found.len());
    look_up(&owner, &honest.server, NOBODY)?;

    // 3. An authority makes a certificate that the owner did not request. Browsers accept the
    //    certificate only if it is in the log ...
    let forged = entry(NAME, FORGED)?;
    let next = honest.publish(std::slice::from_ref(&forged))?;
    let mut browser = honest.client()?;
    Step::of(&honest.server, Version::EMPTY, next)?.offer(&mut browser)?;
    included(&browser, &honest.server, &forged)?;
    Step::of(&honest.server, auditor.version(), next)?.offer(&mut auditor)?;

    // 4. ... so the owner finds the certificate there.
    let mut watching = owner.clone();
    Step::of(&honest.server, newest, next)?.offer(&mut watching)?;
    let found = strangers(&look_up(&watching, &honest.server, NAME)?);
    let [stranger] = &*found else {
        return Err("the owner did not notice".into());
    };
    println!("owner: ALARM, certificate {stranger} is not mine");

    // 5. The log tries to hide the certificate from the owner.
    hide_behind_an_old_answer(&watching, &honest, newest)?;
    take_it_back(&auditor, &honest, &releases)?;
    tell_two_stories(&mut owner, &mut auditor, (&setup, &mut honest), &releases)
}

/// Publishes releases, each as one version, which the auditor follows.
fn follow_every_version(
    honest: &mut Publisher,
    auditor: &mut LogClient<AadCounted>,
    releases: &[Release],
) -> Outcome<()> {
    let (mut appending, mut checking) = (Duration::ZERO, Duration::ZERO);
    let mut proofs = Vec::new();
    for release in releases {
        let start = Instant::now();
        let version = honest.publish(&release.entries)?;
        appending += start.elapsed();
        let step = Step::of(&honest.server, auditor.version(), version)?;
        let start = Instant::now();
        step.offer(auditor)?;
        checking += start.elapsed();
        proofs.extend(step.proofs.map(|(_, append_only)| append_only.len()));
    }
    let entries = honest.server.entries().as_slice();
    let contents: usize = entries
        .iter()
        .map(|entry| entry.key.as_bytes().len() + entry.value.as_bytes().len())
        .sum();
    let (count, versions) = (entries.len(), releases.len());
    let [first, last] = [releases.first(), releases.last()]
        .map(|release| release.map_or("", |release| &release.name));
    println!(
        "log: {count} certificates ({contents} bytes of names and fingerprints) in {versions} \
         versions, {first} to \
         {last}; {:.1?} to append one, author and server together",
        appending / u32::try_from(count)?
    );
    println!(
        "auditor: version {} contains all {} before it: append-only proofs of {} to {} bytes, \
         {:.1?} to check a \
         version",
        auditor.version(),
        proofs.len(),
        proofs.iter().min().unwrap_or(&0),
        proofs.iter().max().unwrap_or(&0),
        checking / u32::try_from(versions)?
    );
    Ok(())
}

/// Asks for all certificates of a name in the newest version that a client has seen.
fn look_up(
    client: &LogClient<AadCounted>,
    server: &LogRepository<AadCounted>,
    name: &str,
) -> Outcome<Vec<Value>> {
    let key = Key::try_from(name)?;
    let proof = wire::encode(&server.prove(client.version(), &key)?);
    let start = Instant::now();
    let values = client.check::<LookupProof<_>>(&proof, LONGEST_LOOKUP, &client.newest()?, &key)?;
    let time = start.elapsed();
    let values = values.into_inner().values;
    let shown: Vec<_> = values.iter().map(short).collect();
    println!(
        "owner: version {} holds {} certificates of '{name}' and no other: [{}] ({} bytes, \
         {time:.1?} to check)",
        client.version(),
        values.len(),
        shown.join(", "),
        proof.len(),
    );
    Ok(values)
}

/// Checks that a certificate is in the log.
fn included(
    client: &LogClient<AadCounted>,
    server: &LogRepository<AadCounted>,
    entry: &Entry,
) -> Outcome<()> {
    let proof = wire::encode(&server.prove_inclusion(client.version(), entry)?);
    let included =
        client.check::<InclusionProof<_>>(&proof, LONGEST_PROOF, &client.newest()?, entry)?;
    println!(
        "browser: certificate {} is in version {}, number {} of the log ({} bytes): I take it",
        short(&entry.value),
        client.version(),
        included.get().position + 1,
        proof.len()
    );
    Ok(())
}

/// Answers a lookup in the new version with the answer of the previous version, which lacks the
/// certificate.
fn hide_behind_an_old_answer(
    client: &LogClient<AadCounted>,
    honest: &Publisher,
    before: Version,
) -> Outcome<()> {
    let key = Key::try_from(NAME)?;
    let stale = wire::encode(&honest.server.prove(before, &key)?);
    let answer = client.check::<LookupProof<_>>(&stale, LONGEST_LOOKUP, &client.newest()?, &key);
    println!(
        "owner: the look-up of version {before} for version {}: {}",
        client.version(),
        refusal(answer)?
    );
    Ok(())
}

/// Signs a next version without the certificate, but with a valid history.
fn take_it_back(
    auditor: &LogClient<AadCounted>,
    honest: &Publisher,
    releases: &[Release],
) -> Outcome<()> {
    let next = auditor.version().next().ok_or("the last version")?;
    // The history is the history of the honest next version. The contents are replaced.
    let mut lender = honest.again(releases)?;
    lender.publish(&[entry(NAME, FORGED)?])?;
    lender.publish(&[entry(NOBODY, "1")?, entry(NOBODY, "2")?])?;
    let mut without = Entries::new(honest.log.clone(), Workers::sequential())?;
    let (all, forged) = (lender.server.entries().as_slice(), entry(NAME, FORGED)?);
    for entry in all.iter().filter(|entry| **entry != forged) {
        without.push(entry.clone())?;
    }
    without.build()?;
    let size = without.size();
    let mut step = Step::of(&lender.server, auditor.version(), next)?;
    let head = SnapshotHead {
        root: without.digest(size),
        ..lender.server.head(next)?.head
    };
    step.head = codec::encode(&head.sign(&signer())?);
    let from = honest.server.size(auditor.version())?;
    for (text, proof) in [
        (
            "with the proof of the log that kept it",
            lender.server.entries().prove_append_only(from, size + 1),
        ),
        (
            "with a proof of the log that never had it",
            without.prove_append_only(from, size),
        ),
    ] {
        step.proofs = step
            .proofs
            .map(|(consistency, _)| (consistency, wire::encode(&proof)));
        let refused = refusal(step.offer(&mut auditor.clone()))?;
        println!("auditor: a version without the certificate, {text}: {refused}");
    }
    Ok(())
}

/// Shows the owner a version without the certificate, and all other clients the version with it.
fn tell_two_stories(
    owner: &mut LogClient<AadCounted>,
    auditor: &mut LogClient<AadCounted>,
    (setup, honest): (&Setup, &mut Publisher),
    releases: &[Release],
) -> Outcome<()> {
    let mut other = Publisher::new(setup)?;
    for release in releases {
        other.publish(&release.entries)?;
    }
    let version = other.publish(&[])?;
    Step::of(&other.server, owner.version(), version)?.offer(owner)?;
    look_up(owner, &other.server, NAME)?;
    println!("owner: all is well, for all that she was shown");

    // The owner and another client compare heads: a few hundred bytes, over any channel.
    let gossip = owner.view().newest_signed().ok_or("no head was seen")?;
    let refused = refusal(auditor.advance(&codec::encode(&gossip), None))?;
    println!("auditor: the owner's head of version {version}: {refused}");
    let LogRefusal::Fork(evidence) = refused else {
        return Err("no evidence".into());
    };
    let evidence = evidence.encode();
    let court = ForkEvidence::<Sha256Ed25519>::decode(&evidence, evidence.len())?;
    court.verify(&honest.authority(), &())?;
    println!(
        "anybody: {} bytes with both signatures convince everyone who knows the log's key",
        evidence.len()
    );

    // Without this comparison, the log can continue to deceive the owner only with two separate
    // histories, because no version continues both.
    let later = honest.publish(&[entry(NOBODY, FORGED)?])?;
    let joined = Step::of(&honest.server, owner.version(), later)?;
    println!(
        "owner: version {later} of everybody else's log: {}",
        refusal(joined.offer(owner))?
    );
    Ok(())
}

/// A release of the trace: the certificates added in it.
struct Release {
    name: String,
    entries: Vec<Entry>,
}

/// The releases that add certificates. A log records that a certificate exists; a removal of trust
/// does not remove its entry.
fn releases() -> Outcome<Vec<Release>> {
    let mut releases = Vec::new();
    for release in TraceReader::open(Path::new(TRACE))? {
        let release = release?;
        let mut entries = Vec::new();
        for operation in release.operations {
            if let Operation::Put(fingerprint, name) = operation {
                let (key, value) = (
                    Key::new(name.as_bytes())?,
                    Value::new(fingerprint.as_bytes())?,
                );
                entries.push(Entry { key, value });
            }
        }
        if !entries.is_empty() {
            releases.push(Release {
                name: release.name,
                entries,
            });
        }
    }
    Ok(releases)
}

/// The public parameters and the shape of the log. An attacker that knows the parameters' secret
/// can forge every proof. These parameters come from a ceremony, in which no party learns the
/// secret if at least one participant was honest.
fn setup() -> Outcome<Setup> {
    let parameters = LogParameters::ethereum()?;
    let shape = Shape::new(TOP_LEVEL, Schedule::Eager).ok_or("no such shape")?;
    let setup = Setup::new(parameters.shared(), shape);
    println!(
        "log: parameters of {}; clients need {} bytes of them",
        parameters.origin().ok_or("of no ceremony")?,
        setup.to_bytes().len()
    );
    Ok(setup)
}

/// A log: its author, and a server of all versions.
struct Publisher {
    log: Log<AadCounted>,
    author: LogAuthor<AadCounted>,
    server: LogRepository<AadCounted>,
}

impl Publisher {
    fn new(setup: &Setup) -> Outcome<Self> {
        let log = Log::new("certificates".into(), setup.clone());
        let (public, workers) = (public_key()?, Workers::sequential());
        let signer = HeadSigner::new(signer());
        Ok(Self {
            author: LogAuthor::new(log.clone(), public, signer, workers.clone())?,
            server: LogRepository::new(log.clone(), public, workers)?,
            log,
        })
    }

    /// Creates a second copy of the log by the same author, which an honest author never makes.
    fn again(&self, releases: &[Release]) -> Outcome<Self> {
        let mut again = Self::new(self.log.setup())?;
        for release in releases {
            again.publish(&release.entries)?;
        }
        Ok(again)
    }

    /// Appends entries as one version.
    fn publish(&mut self, entries: &[Entry]) -> Outcome<Version> {
        for entry in entries {
            self.author.append(entry.clone())?;
        }
        Ok(self.server.apply(&self.author.snapshot()?)?)
    }

    /// Creates a client from the author's key and the encoded setup.
    fn client(&self) -> Outcome<LogClient<AadCounted>> {
        let setup = Setup::from_bytes(&self.log.setup().to_bytes())?;
        Ok(LogClient::new(
            Log::new(self.log.dictionary(), setup),
            public_key()?,
        ))
    }

    const fn authority(&self) -> Authority {
        self.author.authority()
    }
}

/// The messages of a server with which a client advances from one version to a later one.
struct Step {
    head: Vec<u8>,
    /// Proofs that the later history contains the older head, and that the later contents contain
    /// the older contents.
    proofs: Option<(Vec<u8>, Vec<u8>)>,
}

impl Step {
    fn of(server: &LogRepository<AadCounted>, from: Version, to: Version) -> Outcome<Self> {
        let head: SignedHead<Sha256Ed25519> = server.head(to)?;
        let proofs = if from == Version::EMPTY {
            None
        } else {
            let consistency = codec::encode(&server.heads().prove_consistency(from, to)?);
            Some((
                consistency,
                wire::encode(&server.prove_append_only(from, to)?),
            ))
        };
        Ok(Self {
            head: codec::encode(&head),
            proofs,
        })
    }

    fn offer(&self, client: &mut LogClient<AadCounted>) -> Result<Version, LogRefusal> {
        let proofs = self.proofs.as_ref();
        let continuation = proofs.map(|(consistency, append_only)| Continuation {
            consistency,
            append_only,
        });
        client.advance(&self.head, continuation)
    }
}

/// The log's key. A real one is random.
fn signer() -> SigningKey {
    SigningKey::from_bytes(&[42; 32])
}

fn public_key() -> Outcome<AuthorKey> {
    Ok(AuthorKey::from_bytes(signer().verifying_key().as_bytes())?)
}

fn entry(name: &str, fingerprint: &str) -> Outcome<Entry> {
    let (key, value) = (Key::try_from(name)?, Value::try_from(fingerprint)?);
    Ok(Entry { key, value })
}

/// Returns abbreviated fingerprints of the certificates that the owner of the name did not
/// request.
fn strangers(values: &[Value]) -> Vec<String> {
    let own = |value: &&Value| OWN.iter().any(|own| own.as_bytes() == value.as_bytes());
    values
        .iter()
        .filter(|value| !own(value))
        .map(short)
        .collect()
}

fn short(fingerprint: &Value) -> String {
    fingerprint.to_string().chars().take(8).collect()
}

/// Returns the reason for a client's refusal, or an error if the client accepted.
fn refusal<T>(answer: Result<T, LogRefusal>) -> Outcome<LogRefusal> {
    match answer {
        Ok(_) => Err("the client believed it".into()),
        Err(refusal) => Ok(refusal),
    }
}

#[test]
fn runs() {
    main().unwrap();
}
