//! The published vectors, `docs/vectors`: what tests compute is compared with the files, or written to them.
//!
//! `PAD_WRITE_VECTORS=1` and the test that computes a file write it anew. A difference is a change of the
//! format: it needs a decision file and a line in the change log.

use std::{env, fs, path::PathBuf};

use pad_core::codec::{ENVELOPE_LENGTH, FORMAT_VERSION};
use serde::Serialize;

mod refusals;

pub use refusals::{EVERY, Refusal, refusals};

/// The published file of this name, such as `trees/treap`.
pub fn path(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
        .join("../../docs/vectors")
        .join(format!("{name}.json"))
}

/// Compares with the published file, or writes it.
pub fn check(name: &str, computed: &impl Serialize) {
    let computed = serde_json::to_string_pretty(computed).expect("vectors are JSON") + "\n";
    let path = path(name);
    if env::var_os("PAD_WRITE_VECTORS").is_some() {
        fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        fs::write(path, computed).expect("written");
        return;
    }
    let published = fs::read_to_string(path).expect("a published file");
    let lines = published.lines().zip(computed.lines());
    for (number, (published, computed)) in lines.enumerate() {
        assert_eq!(published, computed, "{name}.json, line {}", number + 1);
    }
    assert_eq!(published.len(), computed.len(), "{name}.json");
}

/// Proof files of one dictionary, all that a client of it needs beside them, and what must be refused.
#[derive(Debug, Serialize)]
pub struct ProofFiles {
    /// What the fields are.
    pub comment: &'static str,
    /// The text of the public key file.
    pub public: String,
    /// The proof files.
    pub accepted: Vec<ProofFile>,
    /// What is no proof.
    pub refused: Vec<Refused>,
}

/// A proof file that is accepted.
#[derive(Clone, Debug, Serialize)]
pub struct ProofFile {
    /// What was asked.
    #[serde(flatten)]
    pub asked: Asked,
    /// The entries that it establishes; for look-ups, nothing for an absent key.
    pub answer: Vec<(String, Option<String>)>,
    /// The message.
    pub file: String,
}

/// A question about a version.
#[derive(Clone, Debug, Serialize)]
pub struct Asked {
    /// Its name, as in the document of the format.
    pub question: String,
    /// The keys in it, in hexadecimal; nothing for an open end of a range.
    pub keys: Vec<Option<String>>,
    /// The version.
    pub version: u64,
}

/// A proof file that is refused.
#[derive(Debug, Serialize)]
pub struct Refused {
    /// What is wrong with it.
    pub why: String,
    /// What was asked.
    #[serde(flatten)]
    pub asked: Asked,
    /// The bytes.
    pub file: String,
}

/// What [`ProofFiles::comment`] says.
const COMMENT: &str = "All byte strings in hexadecimal. Each file is checked with the public key, for the \
    question about the version. What the fields mean: docs/vectors/README.md.";

impl ProofFiles {
    /// Those of the dictionary with this public key; none yet.
    pub const fn new(public: String) -> Self {
        Self {
            comment: COMMENT,
            public,
            accepted: Vec::new(),
            refused: Vec::new(),
        }
    }

    /// Adds a proof file; `accepts` says what a client makes of other bytes, and of another version.
    pub fn accept(&mut self, proof: ProofFile, bytes: &[u8], accepts: impl Fn(u64, &[u8]) -> bool) {
        let version = proof.asked.version;
        assert!(accepts(version, bytes), "{proof:?}");
        assert_eq!(proof.file, encode(bytes));
        self.refuse(
            &proof.asked,
            "asked about the next version",
            version + 1,
            bytes,
            &accepts,
        );
        self.accepted.push(proof);
    }

    /// Adds what is refused in the place of a file that is accepted, such as what [`refusals`] makes of it.
    pub fn refuse_changes(
        &mut self,
        asked: &Asked,
        changed: Vec<Refusal>,
        accepts: impl Fn(u64, &[u8]) -> bool,
    ) {
        for Refusal { why, bytes } in changed {
            self.refuse(asked, &why, asked.version, &bytes, &accepts);
        }
    }

    fn refuse(
        &mut self,
        asked: &Asked,
        why: &str,
        version: u64,
        bytes: &[u8],
        accepts: impl Fn(u64, &[u8]) -> bool,
    ) {
        assert!(!accepts(version, bytes), "{why}: {asked:?}");
        self.refused.push(Refused {
            why: why.to_owned(),
            asked: Asked {
                version,
                ..asked.clone()
            },
            file: encode(bytes),
        });
    }
}

/// The text of the public key file of a dictionary.
pub fn public_text(
    (suite, scheme): (&str, &str),
    authority: &pad_core::head::Authority,
    own: Option<&str>,
) -> String {
    let own = own.map_or_else(String::new, |key| format!("scheme-key {key}\n"));
    format!(
        "pad-public-key v1\nsuite {suite}\nscheme {scheme}\ndictionary {}\nauthor {}\n{own}",
        authority.dictionary, authority.author
    )
}

/// Hexadecimal digits.
pub fn encode(bytes: &[u8]) -> String {
    use core::fmt::Write as _;
    bytes.iter().fold(String::new(), |mut digits, byte| {
        write!(digits, "{byte:02x}").expect("texts grow");
        digits
    })
}

/// Where things are in a proof file with a head.
pub(crate) struct Places {
    /// The optional head's first byte.
    pub(crate) flag: usize,
    /// The bytes of the scheme's number.
    pub(crate) scheme: usize,
    /// The first byte behind the signature.
    pub(crate) proof: usize,
}

impl Places {
    /// Of a file under a suite with digests of this many bytes.
    pub(crate) fn of(file: &[u8], digest: usize) -> Self {
        assert_eq!(file[4], FORMAT_VERSION);
        let flag = ENVELOPE_LENGTH;
        let scheme = if file[flag + 1] <= 250 { 1 } else { 3 };
        // All versions of vectors have one byte.
        let proof = flag + 1 + scheme + 16 + 1 + 2 * digest + 64;
        Self {
            flag,
            scheme,
            proof,
        }
    }
}
