//! Secret key files of authors and of owners of outsourced files: `docs/vectors/secret-keys.json`, good and bad, which
//! `PAD_WRITE_VECTORS=1` writes anew; and the same encrypted, `docs/vectors/encrypted-keys.json`, written once, because whoever encrypts draws
//! a salt.

use std::{fs, path::Path};

use conformance::published;
use pad::{
    FileOwnerKey, SecretKey,
    keys::{KeyFileError, Passphrase, SecretFile, Zeroizing},
};
use serde::Serialize;
use serde_json::Value as Json;

use crate::key_files::{good, published_json};

#[derive(Serialize)]
struct SecretKeys {
    comment: &'static str,
    accepted_secrets: Vec<Accepted>,
    refused_secrets: Vec<Refused>,
    accepted_owners: Vec<AcceptedOwner>,
    refused_owners: Vec<Refused>,
}

/// A secret key file, and the public key file that belongs to it.
#[derive(Serialize)]
struct Accepted {
    text: String,
    public: String,
}

/// The key file of an owner of outsourced files, and what it says.
#[derive(Serialize)]
struct AcceptedOwner {
    text: String,
    owner: String,
    /// The name of the kind of tags.
    tags: String,
}

/// What is no such file.
#[derive(Serialize)]
struct Refused {
    why: &'static str,
    text: String,
}

const COMMENT: &str = "Texts of secret key files, of authors and of owners of outsourced files; a line feed is \\n. Everybody knows these \
     secrets: for tests only. What the fields mean: docs/vectors/README.md.";

/// The seed of all of them.
const SEED: &str = "2a2a2a2a2a2a2a2a2a2a2a2a2a2a2a2a2a2a2a2a2a2a2a2a2a2a2a2a2a2a2a2a";
/// The public key of the seed.
const PUBLIC: &str = "197f6b23e16c8532c6abc838facd5ea789be0c76b2920334039bfa8b3d368d61";

/// The secret of a public key file's scheme, if it has one: the same 32 bytes as the seed, or one that is published elsewhere.
fn own_secret(public: &str) -> Option<(&'static str, String)> {
    let scheme = public.lines().nth(2).unwrap().strip_prefix("scheme ");
    let key = public
        .lines()
        .nth(5)
        .map(|line| line.strip_prefix("scheme-key ").unwrap());
    let secret = match scheme.unwrap() {
        "tuple-spec-lightweight" | "tuple-base-superseding-bls" => SEED.to_owned(),
        "tuple-spec-lightweight-bls" => SEED.repeat(2),
        "tuple-accumulators-rsa" => rsa_secret(),
        "tuple-accumulators-bilinear" => {
            let secret = "5a".repeat(32);
            format!("5041443101390102{secret}{}", key.unwrap())
        }
        "aad-counted" => return Some(("scheme-key", key.unwrap().to_owned())),
        _ => return None,
    };
    Some(("scheme-secret", secret))
}

/// The message of kind 57 with the primes of the vectors' modulus.
fn rsa_secret() -> String {
    let text = include_str!("../../../../data/keys-for-tests/rsa-2048.txt");
    let digits = text.lines().find(|line| !line.starts_with('#'));
    digits.unwrap().to_owned()
}

fn secret_text(public: &str) -> String {
    let common: Vec<&str> = public.lines().skip(1).take(3).collect();
    let own = own_secret(public);
    let own = own.map_or_else(String::new, |(name, secret)| format!("{name} {secret}\n"));
    format!(
        "pad-secret-key v1\n{}\nseed {SEED}\n{own}",
        common.join("\n")
    )
}

/// The public key files of the vectors, and one of a scheme with two secrets.
fn publics() -> Vec<String> {
    let mut publics = good();
    let both = publics[3].replace("base-superseding-bls", "spec-lightweight-bls");
    publics.push(both);
    publics
}

fn of_scheme(scheme: &str) -> String {
    let publics = publics();
    let line = format!("\nscheme {scheme}\n");
    let public = publics.iter().find(|public| public.contains(&line));
    secret_text(public.unwrap())
}

/// A change that is one.
fn with(text: &str, from: &str, to: &str) -> String {
    assert!(text.contains(from), "{from}");
    text.replacen(from, to, 1)
}

/// What is made of the secret key file of a tree.
fn bad_trees() -> Vec<(&'static str, String)> {
    let tree = of_scheme("red-black");
    let with = |from: &str, to: &str| with(&tree, from, to);
    let public = with("pad-secret-key", "pad-public-key").replacen("seed", "author", 1);
    vec![
        ("nothing", String::new()),
        ("another title", with("v1", "v2")),
        ("the lines of a public key", public),
        ("no line feed at the end", tree.trim_end().to_owned()),
        ("an empty line at the end", format!("{tree}\n")),
        ("a line more", format!("{tree}seed {SEED}\n")),
        ("a carriage return", tree.replace('\n', "\r\n")),
        ("two spaces", with("seed ", "seed  ")),
        ("a line less", with("scheme red-black\n", "")),
        (
            "lines in another order",
            with(
                "suite sha256-ed25519\nscheme red-black",
                "scheme red-black\nsuite sha256-ed25519",
            ),
        ),
        ("the name of the public key", with("seed", "author")),
        ("upper-case digits", with(SEED, &SEED.to_uppercase())),
        ("a byte of the seed less", with(SEED, &SEED[2..])),
        ("a byte of the seed more", with(SEED, &format!("{SEED}2a"))),
        (
            "a secret of the scheme, which has none",
            format!("{tree}scheme-secret {SEED}\n"),
        ),
    ]
}

/// What is made of the secret key files of schemes with keys of their own.
fn bad_others() -> Vec<(&'static str, String)> {
    let (chains, bls) = (
        of_scheme("tuple-spec-lightweight"),
        of_scheme("tuple-base-superseding-bls"),
    );
    let line = format!("scheme-secret {SEED}\n");
    let shorter = format!("scheme-secret {}\n", &SEED[2..]);
    let (rsa, primes) = (of_scheme("tuple-accumulators-rsa"), rsa_secret());
    // Behind the envelope: rule (1), length of a prime (2), the primes.
    let (start, both) = primes.split_at(22);
    let (smaller, larger) = both.split_at(both.len() / 2);
    let even = format!("{}e", &larger[..larger.len() - 1]);
    let bilinear = of_scheme("tuple-accumulators-bilinear");
    let secret = "5a".repeat(32);
    let order = "73eda753299d7d483339d80809a1d80553bda402fffe5bfeffffffff00000001";
    let log = of_scheme("aad-counted");
    vec![
        ("no secret of the chains", with(&chains, &line, "")),
        (
            "a byte of the secret of the chains less",
            with(&chains, &line, &shorter),
        ),
        (
            "a public line in place of a secret",
            with(&chains, "scheme-secret", "scheme-key"),
        ),
        ("a byte of the BLS seed less", with(&bls, &line, &shorter)),
        (
            "the larger prime first",
            with(&rsa, &primes, &format!("{start}{larger}{smaller}")),
        ),
        (
            "the same prime twice",
            with(&rsa, &primes, &format!("{start}{smaller}{smaller}")),
        ),
        (
            "a number that is no prime",
            with(&rsa, &primes, &format!("{start}{smaller}{even}")),
        ),
        (
            "a byte of the primes less",
            with(&rsa, &primes, &primes[..primes.len() - 2]),
        ),
        ("a byte more", with(&rsa, &primes, &format!("{primes}00"))),
        (
            "a message of another kind",
            with(&rsa, "504144310139", "504144310138"),
        ),
        (
            "no such rule",
            with(&rsa, &primes[..18], &format!("{}05", &primes[..16])),
        ),
        (
            "a secret that is 0",
            with(&bilinear, &secret, &"00".repeat(32)),
        ),
        (
            "a secret that is not reduced",
            with(&bilinear, &secret, order),
        ),
        (
            "another secret than that of the powers",
            with(&bilinear, &secret, &"5b".repeat(32)),
        ),
        (
            "the parameters of a log as a secret",
            with(&log, "scheme-key", "scheme-secret"),
        ),
        (
            "no parameters of a log",
            log.split_inclusive("scheme-key")
                .next()
                .unwrap()
                .replace("scheme-key", ""),
        ),
    ]
}

/// The messages of kind 98 of kinds of tags without RSA keys.
fn tags() -> Vec<String> {
    let messages = published_json("files/messages");
    let tags = messages["tags"].as_array().unwrap().iter();
    tags.map(|tag| tag["owner_key"].as_str().unwrap().to_owned())
        .collect()
}

fn owner_text(tags: &str) -> String {
    format!("pad-file-key v1\nseed {SEED}\ntags {tags}\n")
}

fn bad_owners() -> Vec<(&'static str, String)> {
    let key = &tags()[1];
    let owner = owner_text(key);
    let with = |from: &str, to: &str| with(&owner, from, to);
    vec![
        ("nothing", String::new()),
        ("another title", with("v1", "v2")),
        (
            "the title of an author's key",
            with("pad-file-key", "pad-secret-key"),
        ),
        ("no line feed at the end", owner.trim_end().to_owned()),
        ("an empty line at the end", format!("{owner}\n")),
        ("a carriage return", owner.replace('\n', "\r\n")),
        ("a byte of the seed less", with("seed 2a", "seed ")),
        ("upper-case digits", with("2a2a\ntags", "2A2A\ntags")),
        ("no tags", with(&format!("tags {key}\n"), "")),
        ("an odd number of digits", with(key, &key[1..])),
        (
            "a byte of the key of tags less",
            with(key, &key[..key.len() - 2]),
        ),
        (
            "a byte of the key of tags more",
            with(key, &format!("{key}00")),
        ),
        (
            "the verifier's key of tags",
            with("504144310162", "504144310164"),
        ),
        (
            "tags that there are not",
            with("5041443101620002", "5041443101620009"),
        ),
    ]
}

fn read_secret(text: &str) -> Result<SecretKey, KeyFileError> {
    SecretKey::from_file(&SecretFile::of_text(Zeroizing::new(text.to_owned())))
}

fn read_owner(text: &str) -> Option<FileOwnerKey> {
    FileOwnerKey::from_file(&SecretFile::of_text(Zeroizing::new(text.to_owned()))).ok()
}

#[test]
fn secret_key_files_are_the_published_ones() {
    let accepted = publics().into_iter().map(|public| {
        let text = secret_text(&public);
        let key = read_secret(&text).unwrap_or_else(|error| panic!("{error}: {text}"));
        assert_eq!(key.to_file().unwrap().text().unwrap(), text);
        assert_eq!(key.public().to_text(), public);
        Accepted { text, public }
    });
    let accepted_secrets = accepted.collect();
    let bad = bad_trees().into_iter().chain(bad_others());
    let refused_secrets = bad.map(|(why, text)| {
        assert!(read_secret(&text).is_err(), "{why}");
        Refused { why, text }
    });
    let accepted_owners = tags().into_iter().map(|tags| {
        let text = owner_text(&tags);
        let key = read_owner(&text).unwrap_or_else(|| panic!("{text}"));
        assert_eq!(key.to_file().text().unwrap(), text);
        let owner = key.owner().key.to_string();
        assert_eq!(owner, PUBLIC);
        let tags = key.kind().to_string();
        AcceptedOwner { text, owner, tags }
    });
    let refused_owners = bad_owners().into_iter().map(|(why, text)| {
        assert!(read_owner(&text).is_none(), "{why}");
        Refused { why, text }
    });
    let files = SecretKeys {
        comment: COMMENT,
        accepted_secrets,
        refused_secrets: refused_secrets.collect(),
        accepted_owners: accepted_owners.collect(),
        refused_owners: refused_owners.collect(),
    };
    published::check("secret-keys", &files);
}

/// What a program reads from a file with these bytes, and decrypts.
fn decrypted(folder: &Path, case: &Json) -> Result<SecretFile, KeyFileError> {
    use std::os::unix::fs::PermissionsExt as _;

    let path = folder.join("key");
    fs::write(&path, hex::decode(case["file"].as_str().unwrap()).unwrap()).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).unwrap();
    let passphrase = case["passphrase"].as_str().unwrap().to_owned();
    let passphrase = Passphrase::new(Zeroizing::new(passphrase))?;
    let file = SecretFile::read(&path)?;
    assert!(file.is_encrypted(), "{case}");
    file.decrypt(&passphrase)
}

#[test]
fn encrypted_key_files_are_decrypted_and_nothing_else() {
    let vectors = published_json("encrypted-keys");
    let folder = tempfile::tempdir().unwrap();
    let cases = |name: &str| vectors[name].as_array().unwrap().clone();
    let texts = published_json("secret-keys").to_string();
    for case in cases("accepted") {
        let file = decrypted(folder.path(), &case).unwrap();
        assert_eq!(file.text().unwrap(), case["text"], "{case}");
        assert!(texts.contains(&case["text"].to_string()), "{case}");
    }
    for case in cases("refused") {
        assert!(decrypted(folder.path(), &case).is_err(), "{}", case["why"]);
    }
    assert!(cases("accepted").len() >= 3 && cases("refused").len() >= 10);
}
