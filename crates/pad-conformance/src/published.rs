//! The published vectors in `docs/vectors`. Each file contains inputs, outputs and refused
//! messages. A test recomputes the outputs, compares them, and checks that the refused messages are
//! refused.
//!
//! With `PAD_WRITE_VECTORS=1`, a test writes the computed outputs to the file, and keeps the
//! refused messages. A difference means a change of the format. Such a change requires a decision
//! file and a line in the changelog.

use core::fmt::Write as _;
use std::{
    env, fs,
    path::{Path, PathBuf},
};

use pad_core::{
    Key, KeyRange, Keys, Lookup, Lookups, Neighbour, Operation, RangeContents, Repository, codec,
};
use serde::{Deserialize, Serialize, de::DeserializeOwned};

use crate::{
    operation::{key, value},
    pad::MESSAGE_LIMIT,
};

/// Returns the path of the published file `name`, such as `trees/treap`.
fn path(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
        .join("../../docs/vectors")
        .join(format!("{name}.json"))
}

/// Reads and parses the published file `name`.
pub fn read<T: DeserializeOwned>(name: &str) -> T {
    parsed(&path(name))
}

/// Reads the file that the environment variable `variable` names, or else the published file
/// `name`.
pub fn read_instead<T: DeserializeOwned>(variable: &str, name: &str) -> T {
    parsed(&env::var_os(variable).map_or_else(|| path(name), PathBuf::from))
}

/// Reads the published file `name`, and the file that the environment variable `variable` names.
pub fn read_with<T: DeserializeOwned>(variable: &str, name: &str) -> Vec<T> {
    let named = env::var_os(variable).map(PathBuf::from);
    let files = [path(name)].into_iter().chain(named);
    files.map(|file| parsed(&file)).collect()
}

fn parsed<T: DeserializeOwned>(file: &Path) -> T {
    let text = fs::read_to_string(file).expect("a published file");
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", file.display()))
}

/// Compares `computed` with the published file `name`, and panics if they differ. If
/// `PAD_WRITE_VECTORS` is set, writes `computed` to the file instead.
pub fn check(name: &str, computed: &impl Serialize) {
    let computed = serde_json::to_string_pretty(computed).expect("vectors are JSON") + "\n";
    let path = path(name);
    if env::var_os("PAD_WRITE_VECTORS").is_some() {
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

/// An operation in a published file: a key, with its value or `None` for a removal, in hexadecimal
/// digits.
pub type OperationVector = (String, Option<String>);

/// Decodes published operations.
pub fn operations(published: &[OperationVector]) -> Vec<Operation> {
    let decoded = published.iter().map(|(name, content)| match content {
        Some(content) => Operation::Put(key(decode(name)), value(decode(content))),
        None => Operation::Remove(key(decode(name))),
    });
    decoded.collect()
}

/// Encodes operations for a published file.
pub fn operation_vectors(operations: &[Operation]) -> Vec<OperationVector> {
    let encoded = operations.iter().map(|operation| match operation {
        Operation::Put(key, value) => (encode(key), Some(encode(value))),
        Operation::Remove(key) => (encode(key), None),
    });
    encoded.collect()
}

/// A published update that is refused by a server whose latest version is `latest`.
#[derive(Debug, Serialize, Deserialize)]
pub struct RefusedUpdate {
    why: String,
    latest: u64,
    update: String,
}

/// Asserts that a server refuses the updates that `published` lists for its latest version.
pub fn check_refused_updates<R: Repository>(published: &[RefusedUpdate], server: &mut R) {
    let latest = server.latest();
    for row in published.iter().filter(|row| row.latest == latest.number()) {
        if let Ok(update) = codec::decode(&decode(&row.update), MESSAGE_LIMIT) {
            assert!(server.apply(&update).is_err(), "{}", row.why);
            assert_eq!(server.latest(), latest, "{}", row.why);
        }
    }
}

/// A verified answer as pairs of key and value, in hexadecimal digits. The value is `None` if the
/// key is absent.
pub type Answer = Vec<(String, Option<String>)>;

/// A published file with test vectors for one dictionary. It contains the public key file, proof
/// files with their answers, and proof files that must be refused.
#[derive(Serialize, Deserialize)]
struct ProofFiles {
    comment: String,
    /// The text of the dictionary's public key file.
    public: String,
    accepted: Vec<ProofFile>,
    refused: Vec<RefusedFile>,
}

#[derive(Serialize, Deserialize)]
struct ProofFile {
    #[serde(flatten)]
    asked: VectorQuery,
    answer: Answer,
    file: String,
}

#[derive(Serialize, Deserialize)]
struct RefusedFile {
    why: String,
    #[serde(flatten)]
    asked: VectorQuery,
    file: String,
}

/// A query about a version, as published with test vectors.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct VectorQuery {
    /// The name of the kind of question, as in the document of the format.
    pub question: String,
    /// The keys of the question, in hexadecimal; `None` for an open end of a range.
    pub keys: Vec<Option<String>>,
    /// The number of the version that is queried.
    pub version: u64,
}

impl VectorQuery {
    /// Returns the decoded keys of the question.
    pub fn keys(&self) -> Vec<Option<Vec<u8>>> {
        let keys = self.keys.iter();
        keys.map(|key| key.as_deref().map(decode)).collect()
    }

    /// Returns the key of a question about one key.
    pub fn key(&self) -> Key {
        key(self.keys().remove(0).expect("a key"))
    }

    /// Returns the keys of a question about several keys.
    pub fn all_keys(&self) -> Keys {
        let keys = self.keys().into_iter().flatten();
        Keys::new(keys.map(key).collect()).expect("keys")
    }

    /// Returns the range of a question about a range of keys.
    pub fn range(&self) -> KeyRange {
        let mut ends = self.keys().into_iter().map(|end| end.map(key));
        let [start, end] = [(); 2].map(|()| ends.next().expect("two ends"));
        KeyRange { start, end }
    }
}

/// A verified statement about entries.
pub trait Listed {
    /// Returns the entries in the form in which files publish them.
    fn answer(self) -> Answer;
}

impl Listed for Lookup {
    fn answer(self) -> Answer {
        vec![(encode(self.key), self.answer.value().map(encode))]
    }
}

impl Listed for Lookups {
    fn answer(self) -> Answer {
        let answers = self.answers.into_iter();
        let answers = answers.map(|(key, answer)| (encode(key), answer.value().map(encode)));
        answers.collect()
    }
}

impl Listed for RangeContents {
    fn answer(self) -> Answer {
        let entries = self.entries.into_iter();
        let entries = entries.map(|(key, value)| (encode(key), Some(encode(value))));
        entries.collect()
    }
}

impl<Q> Listed for Neighbour<Q> {
    fn answer(self) -> Answer {
        let entry = self.entry.into_iter();
        let entry = entry.map(|(key, value)| (encode(key), Some(encode(value))));
        entry.collect()
    }
}

/// Checks the published file `proof-files/{name}` with proof files of one dictionary. `public` is
/// the text of the dictionary's public key file. `prove` makes a proof file as a server does, and
/// `verify` checks a proof file as a client does.
pub fn check_proof_files(
    name: &str,
    public: &str,
    prove: impl Fn(&VectorQuery) -> Vec<u8>,
    verify: impl Fn(&VectorQuery, &[u8]) -> Option<Answer>,
) {
    let name = format!("proof-files/{name}");
    let mut files: ProofFiles = read(&name);
    public.clone_into(&mut files.public);
    for ProofFile {
        asked,
        answer,
        file,
    } in &mut files.accepted
    {
        let made = prove(asked);
        *answer = verify(asked, &made).unwrap_or_else(|| panic!("{name}: refused: {asked:?}"));
        *file = encode(&made);
    }
    for RefusedFile { why, asked, file } in &files.refused {
        let answer = verify(asked, &decode(file));
        assert_eq!(answer, None, "{name}: {why}: {asked:?}");
    }
    assert!(files.refused.len() > 2 * files.accepted.len(), "{name}");
    check(&name, &files);
}

/// Returns the text of the public key file of a dictionary. `own` contains the scheme's own key in
/// hexadecimal digits, if it has one.
pub fn public_text(
    (suite, scheme): (&str, &str),
    authority: &pad_core::Authority,
    own: Option<&str>,
) -> String {
    let own = own.map_or_else(String::new, |key| format!("scheme-key {key}\n"));
    format!(
        "pad-public-key v1\nsuite {suite}\nscheme {scheme}\ndictionary {}\nauthor {}\n{own}",
        authority.dictionary, authority.author
    )
}

/// Encodes bytes as hexadecimal digits.
pub fn encode(bytes: impl AsRef<[u8]>) -> String {
    let bytes = bytes.as_ref().iter();
    bytes.fold(String::new(), |mut digits, byte| {
        write!(digits, "{byte:02x}").expect("texts grow");
        digits
    })
}

/// Decodes hexadecimal digits.
pub fn decode(digits: &str) -> Vec<u8> {
    let pairs = digits.as_bytes().chunks(2);
    let byte = |pair| u8::from_str_radix(core::str::from_utf8(pair).ok()?, 16).ok();
    pairs.map(byte).collect::<Option<_>>().expect("hexadecimal")
}
