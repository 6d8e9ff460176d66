//! An author and a server of a log, with a list of all appended entries as the reference
//! implementation.

use ed25519_dalek::SigningKey;
use pad_accumulators::wire;
use pad_core::{
    AuthorKey, HeadSigner, Heads as _, Key, Sha256Ed25519, Untrusted, Update, Value, Version,
    Workers, codec, internals::EmptyDictionary,
};
use pad_log::{
    Appended, Continuation, Entry, Log, LogAuthor, LogClient, LogRefusal, LogRepository, LogRoot,
    PastProofs, Scheme, Setup, internals::Contents,
};

use crate::Random;

/// The number of different keys of a dictionary, or members of a set, from which random entries are
/// drawn.
pub const KEYS: u64 = 12;

/// Returns the author's signing key, the same in all tests.
pub fn signer() -> SigningKey {
    SigningKey::from_bytes(&[3; 32])
}

/// Returns the public key of [`signer`].
pub fn public() -> AuthorKey {
    AuthorKey::from_bytes(signer().verifying_key().as_bytes()).expect("a public key")
}

/// Returns the log as a client knows it, decoded from the bytes of a key file.
pub fn client_log<S: Scheme>(log: &Log<S>) -> Log<S> {
    let setup = Setup::from_bytes(&log.setup().to_bytes()).expect("honest bytes");
    let client = Log::new(log.dictionary(), setup);
    assert_eq!(client.id(), log.id());
    client
}

/// Returns the test key (or member of a set) with the number `number`.
pub fn key(number: u64) -> Key {
    Key::try_from(format!("key {number}").as_str()).expect("a short key")
}

/// An author and a server with all its versions. A list serves as the reference implementation.
#[derive(Debug)]
pub struct Roles<S: Scheme> {
    /// The author of the log.
    pub author: LogAuthor<S>,
    /// The server, which has applied all published updates.
    pub server: LogRepository<S>,
    /// All published entries, in the order in which they were appended.
    pub list: Vec<Entry>,
    /// The number of entries in `list` that each version contains, starting with version 0.
    pub sizes: Vec<usize>,
}

impl<S: Scheme> Roles<S> {
    /// Creates the author and the server of an empty log, with an empty list.
    pub fn new(log: &Log<S>) -> Self {
        let workers = Workers::sequential();
        let signer = HeadSigner::new(signer());
        let author = LogAuthor::new(log.clone(), public(), signer, workers.clone());
        Self {
            author: author.expect("powers for the largest trees"),
            server: LogRepository::new(log.clone(), public(), workers).expect("the same powers"),
            list: Vec::new(),
            sizes: vec![0],
        }
    }

    /// Creates a log of `versions` versions, each with up to `most` random entries.
    pub fn random(log: &Log<S>, versions: u64, most: u64, random: &mut Random) -> Self {
        let mut roles = Self::new(log);
        for _ in 0..versions {
            for _ in 0..=random.below(most) {
                roles.append(random_entry::<S>(random));
            }
            roles.publish();
        }
        roles
    }

    /// Appends an entry to the next version and to the list. Does nothing if the log is a set that
    /// already contains the member.
    pub fn append(&mut self, entry: Entry) {
        if S::CONTENTS == Contents::Set && self.list.contains(&entry) {
            self.author.append(entry).expect_err("a member twice");
            return;
        }
        self.list.push(entry.clone());
        self.author.append(entry).expect("room for an entry");
    }

    /// Signs the appended entries as the next version, and passes its update to the server as
    /// bytes.
    pub fn publish(&mut self) {
        let update = codec::encode(&self.author.snapshot().expect("a key in memory signs"));
        assert_eq!(update[5], 128, "the kind of such updates");
        let update: Update<Sha256Ed25519, Appended> =
            codec::decode(&update, update.len()).expect("honest bytes");
        assert_eq!(self.server.apply(&update), Ok(self.author.version()));
        self.sizes.push(self.list.len());
    }

    /// Signs the next version, and passes it to the server with the nodes that the author made. The
    /// server then computes no nodes, which saves time in checks that are not about this
    /// computation.
    pub fn publish_built(&mut self) {
        self.author.snapshot().expect("a key in memory signs");
        self.server.copy_author(&self.author);
        self.sizes.push(self.list.len());
    }

    /// Returns the number of the latest version.
    pub fn latest(&self) -> u64 {
        self.server.latest().number()
    }

    /// Returns the entries that a version contains, according to the list.
    pub fn contents(&self, version: u64) -> &[Entry] {
        &self.list[..self.sizes[usize::try_from(version).expect("a version")]]
    }

    /// Returns the values of a key in a version, according to the list.
    pub fn values(&self, version: u64, key: &Key) -> Vec<Value> {
        let of_key = self.contents(version).iter();
        let of_key = of_key.filter(|entry| entry.key == *key);
        of_key.map(|entry| entry.value.clone()).collect()
    }

    /// Returns the root of a version as a client knows it after verifying the version's head.
    pub fn at(&self, version: u64) -> LogRoot<S> {
        let log = client_log(self.author.log());
        let authority = self.author.authority();
        let version = Version::new(version);
        let head = if version == Version::EMPTY {
            Untrusted::new(EmptyDictionary::new()).verify(&authority, &())
        } else {
            let signed = self.server.head(version).expect("a version");
            Untrusted::new(signed).verify(&authority, &version)
        };
        log.at(&head.expect("an honest head")).expect("this log's")
    }
}

/// Creates a client that has seen no version.
pub fn client<S: Scheme>(server: &LogRepository<S>) -> LogClient<S> {
    let author = server.heads().authority().author;
    LogClient::new(client_log(server.entries().log()), author)
}

/// Advances a client to a version, with the proofs of a server.
pub fn advance<S: Scheme>(
    client: &mut LogClient<S>,
    server: &LogRepository<S>,
    version: u64,
) -> Result<Version, LogRefusal> {
    let (seen, version) = (client.version(), Version::new(version));
    let head = codec::encode(&server.head(version).expect("a version"));
    if seen == Version::EMPTY || seen == version {
        return client.advance(&head, None);
    }
    let consistency = server.heads().prove_consistency(seen, version);
    let append_only = server.prove_append_only(seen, version);
    let continuation = Continuation {
        consistency: &codec::encode(&consistency.expect("both exist")),
        append_only: &wire::encode(&append_only.expect("both exist")),
    };
    client.advance(&head, Some(continuation))
}

/// Verifies the root of a version older than the newest version that a client has seen, with the
/// proofs of a server.
pub fn past<S: Scheme>(
    client: &LogClient<S>,
    server: &LogRepository<S>,
    version: u64,
) -> Result<LogRoot<S>, LogRefusal> {
    let (version, newest) = (Version::new(version), client.version());
    let inclusion = server.heads().prove_inclusion(version, newest);
    let append_only = server.prove_append_only(version, newest);
    let proofs = PastProofs {
        inclusion: &codec::encode(&inclusion.expect("both exist")),
        append_only: &wire::encode(&append_only.expect("both exist")),
    };
    client.past(version, proofs)
}

/// Returns a random entry from a small universe, so that keys, and pairs of key and value, repeat.
pub fn random_entry<S: Scheme>(random: &mut Random) -> Entry {
    let key = key(random.below(KEYS));
    match S::CONTENTS {
        Contents::Set => Entry::member(key),
        Contents::Dictionary => {
            let length = usize::try_from(random.below(4)).expect("small");
            let value = Value::new(vec![b'v'; length]).expect("a short value");
            Entry { key, value }
        }
    }
}
