//! Public key files, and what owners publish of outsourced files: `docs/vectors/key-files.json`, good and bad. `PAD_WRITE_VECTORS=1`
//! writes it anew.

use std::{collections::BTreeSet, fs, path::Path};

use conformance::published;
use pad::{FilePublic, PublicKey};
use serde::Serialize;
use serde_json::Value as Json;

#[derive(Serialize)]
struct KeyFiles {
    comment: &'static str,
    accepted_keys: Vec<Accepted>,
    refused_keys: Vec<Refused>,
    accepted_files: Vec<AcceptedFile>,
    refused_files: Vec<Refused>,
}

/// A key file, and what it says.
#[derive(Serialize)]
struct Accepted {
    text: String,
    suite: &'static str,
    scheme: u16,
    dictionary: String,
    author: String,
}

/// What an owner publishes of an outsourced file, and what it says.
#[derive(Serialize)]
struct AcceptedFile {
    text: String,
    owner: String,
    /// The name of the kind of tags, and whether the key that checks them is there.
    tags: String,
    can_audit: bool,
    file: String,
    version: u64,
    bytes: u64,
    root: String,
    server: Option<String>,
}

/// What is no such file.
#[derive(Serialize)]
struct Refused {
    why: &'static str,
    text: String,
}

const COMMENT: &str = "Texts of public key files, and of what owners publish of outsourced files; a line feed is \\n. What the fields mean: \
     docs/vectors/README.md.";

pub(crate) fn published_json(name: &str) -> Json {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/vectors");
    let text = fs::read_to_string(path.join(format!("{name}.json"))).unwrap();
    serde_json::from_str(&text).unwrap()
}

/// Keys of this suite and scheme, with a sixth line for a scheme that has a key of its own.
fn key_text(suite: &str, scheme: &str, own: &str) -> String {
    let own = if own.is_empty() {
        String::new()
    } else {
        format!("scheme-key {own}\n")
    };
    format!(
        "pad-public-key v1\nsuite {suite}\nscheme {scheme}\ndictionary 171ae28ec239767f79427bdd91d74775\n\
         author 197f6b23e16c8532c6abc838facd5ea789be0c76b2920334039bfa8b3d368d61\n{own}"
    )
}

pub(crate) fn good() -> Vec<String> {
    let of = |file: &str, name: &str| {
        let json = published_json(file);
        json.pointer(name).unwrap().as_str().unwrap().to_owned()
    };
    let (suite, logs) = ("sha256-ed25519", published_json("logs/logs"));
    let log = format!(
        "031000{}0b{}",
        logs["s_g2"].as_str().unwrap(),
        hex::encode("accumulator")
    );
    let mut good = vec![
        key_text(suite, "red-black", ""),
        key_text(suite, "tuple-spec-lightweight", ""),
        key_text(suite, "directory", ""),
    ];
    let tuple_key = of("tuples/base-superseding-bls", "/tuple_key");
    good.push(key_text(suite, "tuple-base-superseding-bls", &tuple_key));
    let rsa = of("accumulators/rsa", "/messages/parameters");
    good.push(key_text(suite, "tuple-accumulators-rsa", &rsa));
    let bilinear = of("accumulators/bilinear", "/messages/parameters");
    good.push(key_text(suite, "tuple-accumulators-bilinear", &bilinear));
    good.push(key_text(suite, "aad-counted", &log));
    good
}

/// What is made of the key file of a tree.
fn bad_trees() -> Vec<(&'static str, String)> {
    let tree = key_text("sha256-ed25519", "red-black", "");
    let author = "197f6b23e16c8532c6abc838facd5ea789be0c76b2920334039bfa8b3d368d61";
    let dictionary = "171ae28ec239767f79427bdd91d74775";
    let with = |from: &str, to: &str| {
        assert!(tree.contains(from), "{from}");
        tree.replacen(from, to, 1)
    };
    let small = format!("01{}", "00".repeat(31));
    // p + 1, which stands for 1.
    let not_canonical = format!("ee{}7f", "ff".repeat(30));
    // Two is no y of a point.
    let no_point = format!("02{}", "00".repeat(31));
    let of_secret = with("pad-public-key", "pad-secret-key").replacen("author", "seed", 1);
    vec![
        ("nothing", String::new()),
        ("another title", with("v1", "v2")),
        ("the lines of a secret key", of_secret),
        ("no line feed at the end", tree.trim_end().to_owned()),
        ("an empty line at the end", format!("{tree}\n")),
        ("a line more", format!("{tree}author {author}\n")),
        ("a carriage return", tree.replace('\n', "\r\n")),
        ("two spaces", with("suite ", "suite  ")),
        (
            "a space at the end of a line",
            with("red-black\n", "red-black \n"),
        ),
        ("a tab", with("scheme ", "scheme\t")),
        ("a byte order mark", format!("\u{feff}{tree}")),
        ("a line less", with("scheme red-black\n", "")),
        (
            "lines in another order",
            with(
                "suite sha256-ed25519\nscheme red-black",
                "scheme red-black\nsuite sha256-ed25519",
            ),
        ),
        ("no such suite", with("sha256-ed25519", "sha512-ed25519")),
        ("no such scheme", with("red-black", "red-block")),
        ("a name in capitals", with("red-black", "Red-Black")),
        (
            "upper-case digits of the dictionary",
            with(dictionary, &dictionary.to_uppercase()),
        ),
        (
            "a digit of the dictionary less",
            with(dictionary, &dictionary[1..]),
        ),
        (
            "upper-case digits of the author",
            with(author, &author.to_uppercase()),
        ),
        ("a byte of the author less", with(author, &author[2..])),
        (
            "a byte of the author more",
            with(author, &format!("{author}00")),
        ),
        ("an author of small order", with(author, &small)),
        (
            "an author that is not in its one form",
            with(author, &not_canonical),
        ),
        ("an author that is no point", with(author, &no_point)),
        (
            "a key of the scheme, which has none",
            format!("{tree}scheme-key 00\n"),
        ),
    ]
}

/// What is made of the key files of schemes with keys of their own.
fn bad_others() -> Vec<(&'static str, String)> {
    let rsa = published_json("accumulators/rsa");
    let rsa = rsa["messages"]["parameters"].as_str().unwrap();
    let with = |own: &str| key_text("sha256-ed25519", "tuple-accumulators-rsa", own);
    let (even, last) = rsa.split_at(rsa.len() - 2);
    assert_ne!(last, "00");
    let mut bad = vec![
        ("no key of the scheme", with("")),
        ("a key of the scheme without digits", with(" ")),
        ("an odd number of digits", with(&rsa[..rsa.len() - 1])),
        ("upper-case digits", with(&rsa.to_uppercase())),
        ("a byte less", with(even)),
        ("a byte more", with(&format!("{rsa}00"))),
        ("an even modulus", with(&format!("{even}00"))),
        (
            "a message of another kind",
            with(&rsa.replacen("0138", "0139", 1)),
        ),
        (
            "no such rule",
            with(&format!("{}05{}", &rsa[..16], &rsa[18..])),
        ),
    ];
    let bls = |own: &str| key_text("sha256-ed25519", "tuple-base-superseding-bls", own);
    let identity = format!("c0{}", "00".repeat(95));
    bad.push(("the identity as a BLS key", bls(&identity)));
    bad.push(("a BLS key that is no point", bls(&"00".repeat(96))));
    bad
}

/// The owner's key.
const OWNER: &str = "197f6b23e16c8532c6abc838facd5ea789be0c76b2920334039bfa8b3d368d61";

/// What an owner publishes, of a file that is named by nines and has a root of sevens, of a version and a number of bytes.
fn file_text(tags: &str, (version, bytes): (u64, u64), server: &str) -> String {
    let server = if server.is_empty() {
        String::new()
    } else {
        format!("server {server}\n")
    };
    let (file, root) = ("09".repeat(32), "07".repeat(32));
    format!(
        "pad-file-public v1\nowner {OWNER}\ntags {tags}\nfile {file}\nversion {version}\nbytes {bytes}\nroot {root}\n{server}"
    )
}

/// The message of kind 100 of tags of hashes, which need no key.
const HASHES: &str = "5041443101640001";

fn good_files() -> Vec<String> {
    let longest = "a".repeat(512);
    vec![
        file_text(HASHES, (1, 0), ""),
        file_text(HASHES, (3, 40_960), "example.org:7420"),
        file_text("private-mac", (251, 65_536), "https://example.org:7420"),
        file_text("private-mac", (u64::MAX, u64::MAX), &longest),
    ]
}

/// What is made of the second of the good ones.
#[expect(
    clippy::too_many_lines,
    reason = "a list: a line or two for each refusal"
)]
fn bad_files() -> Vec<(&'static str, String)> {
    let file = &good_files()[1];
    let with = |from: &str, to: &str| {
        assert!(file.contains(from), "{from}");
        file.replacen(from, to, 1)
    };
    let (small, long) = (
        format!("01{}", "00".repeat(31)),
        format!("server {}", "a".repeat(513)),
    );
    let of_mac = format!("5041443101640002{}", "11".repeat(32));
    let own = with(
        &format!("pad-file-public v1\nowner {OWNER}"),
        "pad-file-key v1\nseed 2a",
    );
    vec![
        ("nothing", String::new()),
        ("another title", with("v1", "v2")),
        ("the title of an owner's key", own),
        ("no line feed at the end", file.trim_end().to_owned()),
        ("an empty line at the end", format!("{file}\n")),
        ("a line more", format!("{file}server example.org:7420\n")),
        ("a carriage return", file.replace('\n', "\r\n")),
        ("two spaces", with("bytes ", "bytes  ")),
        ("a line less", with("version 3\n", "")),
        (
            "lines in another order",
            with("version 3\nbytes 40960", "bytes 40960\nversion 3"),
        ),
        ("an owner of small order", with(OWNER, &small)),
        (
            "upper-case digits of the owner",
            with(OWNER, &OWNER.to_uppercase()),
        ),
        ("a byte of the owner less", with(OWNER, &OWNER[2..])),
        ("no such tags", with(HASHES, "sha256")),
        (
            "the name of tags that everybody can check",
            with(HASHES, "hash-only"),
        ),
        ("the secret key of private tags", with(HASHES, &of_mac)),
        (
            "a key with a byte more",
            with(HASHES, &format!("{HASHES}00")),
        ),
        ("a key of another kind", with(HASHES, "5041443101620001")),
        (
            "a key of tags that there are not",
            with(HASHES, "5041443101640009"),
        ),
        ("an odd number of digits", with(HASHES, &HASHES[..15])),
        ("a byte of the file less", with("file 09", "file ")),
        (
            "upper-case digits of the root",
            with("root 07", "root 0A").replace("0A", "AA"),
        ),
        ("version 0", with("version 3", "version 0")),
        ("a version with a sign", with("version 3", "version +3")),
        (
            "a version that begins with 0",
            with("version 3", "version 03"),
        ),
        (
            "a version beyond 64 bits",
            with("version 3", "version 18446744073709551616"),
        ),
        ("fewer than no bytes", with("bytes 40960", "bytes -1")),
        ("bytes in other digits", with("bytes 40960", "bytes 0xa000")),
        ("no address", with("server example.org:7420", "server ")),
        (
            "an address with a space",
            with("server example", "server exam ple"),
        ),
        (
            "an address with a letter that is not visible",
            with("server ", "server \u{7f}"),
        ),
        (
            "an address that is not ASCII",
            with("server ", "server \u{e4}"),
        ),
        (
            "an address that is too long",
            with("server example.org:7420", &long),
        ),
    ]
}

/// Reads it as a program does, from a file.
fn load(text: &str) -> Option<FilePublic> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("public");
    fs::write(&path, text).unwrap();
    FilePublic::load(&path).ok()
}

fn accepted_file(text: String) -> AcceptedFile {
    let public = load(&text).unwrap_or_else(|| panic!("{text}"));
    assert_eq!(public.to_string(), text);
    let (tags, since) = (&public.file.tags, public.file.since);
    AcceptedFile {
        owner: public.file.owner.to_string(),
        tags: tags.kind().to_string(),
        can_audit: tags.key().is_some(),
        file: since.file.to_string(),
        version: since.version,
        bytes: since.list.total,
        root: since.list.root.to_string(),
        server: Some(public.server).filter(|server| !server.is_empty()),
        text,
    }
}

#[test]
fn public_key_files_are_the_published_ones() {
    let mut schemes = BTreeSet::new();
    let accepted = good().into_iter().map(|text| {
        let key = PublicKey::from_text(&text).unwrap_or_else(|error| panic!("{error}: {text}"));
        assert_eq!(key.to_text(), text);
        assert!(schemes.insert(key.authority.scheme.0));
        Accepted {
            suite: key.suite.name(),
            scheme: key.authority.scheme.0,
            dictionary: key.authority.dictionary.to_string(),
            author: key.authority.author.to_string(),
            text,
        }
    });
    let accepted_keys = accepted.collect();
    let bad = bad_trees().into_iter().chain(bad_others());
    let refused = bad.map(|(why, text)| {
        assert!(PublicKey::from_text(&text).is_err(), "{why}");
        Refused { why, text }
    });
    let refused_files = bad_files().into_iter().map(|(why, text)| {
        assert!(load(&text).is_none(), "{why}");
        Refused { why, text }
    });
    let files = KeyFiles {
        comment: COMMENT,
        accepted_keys,
        refused_keys: refused.collect(),
        accepted_files: good_files().into_iter().map(accepted_file).collect(),
        refused_files: refused_files.collect(),
    };
    published::check("key-files", &files);
}
