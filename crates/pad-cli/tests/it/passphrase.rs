//! Tests of secret keys with a passphrase: every command that needs one, with a passphrase file and
//! without a terminal.

use std::{path::Path, process::Output};

use authdict::{Passphrase, SecretFile, SecretKey, Work, Zeroizing};

use crate::bench::{Bench, Outcome as _, is_error, text};

/// Encrypts a key like `pad passphrase`, but with parameters that make each attempt cheap.
fn encrypt(path: &Path) {
    let passphrase = Passphrase::new(Zeroizing::new("correct horse".into())).unwrap();
    let file = SecretFile::read(path).unwrap();
    let file = file.encrypt(&passphrase, Work::LEAST).unwrap();
    file.replace(path).unwrap();
}

/// Writes the passphrase files `right` and `wrong`.
fn with_passphrases(bench: &Bench) {
    for (name, line) in [
        ("right", "correct horse\nwhat is below\n"),
        ("wrong", "horse\n"),
    ] {
        bench.write(name, line.as_bytes());
        bench.set_mode(name, 0o600);
    }
}

/// Runs a line without a terminal, with these environment variables.
fn run(bench: &Bench, variables: &[(&str, &str)], line: &str) -> Output {
    let mut command = std::process::Command::new("setsid");
    command.arg("--wait").arg(env!("CARGO_BIN_EXE_pad"));
    command.current_dir(bench.folder.path());
    command.env_remove("PAD_PASSPHRASE_FILE");
    command.env_remove("PAD_NEW_PASSPHRASE_FILE");
    command.envs(variables.iter().copied());
    command.stdin(std::process::Stdio::null());
    command.args(line.split(' ')).output().unwrap()
}

fn ok(bench: &Bench, variables: &[(&str, &str)], line: &str) -> String {
    run(bench, variables, line).succeeds()
}

fn fails(bench: &Bench, variables: &[(&str, &str)], line: &str, reason: &str) {
    let error = run(bench, variables, line).fails_with(2, reason);
    assert!(is_error(&error), "{error}");
}

const RIGHT: &[(&str, &str)] = &[("PAD_PASSPHRASE_FILE", "right")];
const WRONG: &[(&str, &str)] = &[("PAD_PASSPHRASE_FILE", "wrong")];

#[test]
fn an_encrypted_key_signs_with_its_passphrase_alone() {
    for scheme in ["red-black", "tuple-spec-lightweight"] {
        let bench = Bench::with_key(scheme);
        with_passphrases(&bench);
        let clear = bench.read("k");
        encrypt(&bench.path("k"));
        assert_ne!(bench.read("k"), clear);
        ok(&bench, RIGHT, "put --store s --key k apple 3");
        ok(&bench, RIGHT, "commit --store s --key k");
        ok(&bench, RIGHT, "status --store s --key k");
        bench.ok("get --store s --public k.pub apple");
        ok(&bench, RIGHT, "public --key k --out again");
        assert_eq!(bench.read("again"), bench.read("k.pub"));

        bench.ok("put --store s pear 4");
        let commit = "commit --store s --key k";
        fails(&bench, &[], commit, "there is no terminal to ask for it");
        fails(&bench, &[], commit, "PAD_PASSPHRASE_FILE");
        fails(&bench, WRONG, commit, "the passphrase is wrong");
        // Nothing was done.
        bench.step(r#"status --store s -> {"pending_changes": 1}"#);
        // A passphrase file that other users can read is refused, and so is an invalid passphrase.
        bench.set_mode("wrong", 0o644);
        fails(&bench, WRONG, commit, "others may read");
        bench.write("empty", b"\nsecond\n");
        bench.set_mode("empty", 0o600);
        let empty = [("PAD_PASSPHRASE_FILE", "empty")];
        fails(&bench, &empty, commit, "one line of 1 to 1024 bytes");
        let mut damaged = bench.read("k");
        *damaged.last_mut().unwrap() ^= 1;
        let whole = bench.read("k");
        bench.write("k", &damaged);
        fails(&bench, RIGHT, commit, "damaged");
        damaged[7] = 30;
        bench.write("k", &damaged);
        fails(&bench, &[], commit, "exceed the memory or time limit");
        bench.write("k", &whole);
        ok(&bench, RIGHT, commit);
    }
}

/// Advice can contain file names, like messages. They must be escaped, too.
#[test]
fn advice_stays_on_its_line() {
    let bench = Bench::with_key("red-black");
    bench.write("a\nb", b"a passphrase\n");
    bench.set_mode("a\nb", 0o644);
    let open = [("PAD_NEW_PASSPHRASE_FILE", "a\nb")];
    let help = "\nhelp: run chmod 600 a\\nb, or 640 for a group\n";
    fails(&bench, &open, "passphrase k", help);
}

#[test]
fn passphrases_are_set_changed_and_removed() {
    let bench = Bench::new();
    with_passphrases(&bench);
    bench.ok("keygen --out k");
    let clear = bench.read("k");
    let set = [("PAD_NEW_PASSPHRASE_FILE", "right")];
    fails(&bench, &[], "passphrase k", "PAD_NEW_PASSPHRASE_FILE");
    fails(&bench, &[], "passphrase k --remove", "has no passphrase");
    assert_eq!(bench.read("k"), clear);
    assert!(ok(&bench, &set, "--json passphrase k").contains("\"set\""));
    let encrypted = bench.read("k");
    assert!(encrypted.starts_with(b"scrypt\0"));
    assert_eq!(bench.mode("k"), 0o600);
    let file = SecretFile::read(&bench.path("k")).unwrap();
    assert_eq!(file.work(), Some(Work::USUAL));
    fails(&bench, &set, "passphrase k", "there is no terminal");
    let wrong = [
        ("PAD_PASSPHRASE_FILE", "wrong"),
        ("PAD_NEW_PASSPHRASE_FILE", "right"),
    ];
    fails(&bench, &wrong, "passphrase k", "the passphrase is wrong");
    assert_eq!(bench.read("k"), encrypted);
    // The key is encrypted again with the same passphrase, with cheap parameters.
    bench.write("k", &clear);
    encrypt(&bench.path("k"));
    let change = [
        ("PAD_PASSPHRASE_FILE", "right"),
        ("PAD_NEW_PASSPHRASE_FILE", "wrong"),
    ];
    ok(&bench, &change, "passphrase k");
    ok(&bench, WRONG, "passphrase k --remove");
    assert_eq!(bench.read("k"), clear);
    SecretKey::load(&bench.path("k")).unwrap();
    // Only secret keys are encrypted.
    let public = bench.read("k.pub");
    fails(&bench, &set, "passphrase k.pub", "this is a public key");
    assert_eq!(bench.read("k.pub"), public);
    fails(&bench, &set, "passphrase .", "not a plain file");
}

#[test]
fn new_keys_are_encrypted_if_it_is_asked_for() {
    let bench = Bench::new();
    with_passphrases(&bench);
    fails(&bench, &[], "keygen --out k --passphrase", "no terminal");
    assert!(!bench.path("k").exists() && !bench.path("k.pub").exists());
    ok(&bench, RIGHT, "keygen --out k --passphrase");
    assert!(bench.read("k").starts_with(b"scrypt\0"));
    let said = bench.ok("info k");
    assert!(said.contains("encrypted with a passphrase"), "{said}");
    assert!(said.contains("N=2^17 r=8 p=1"), "{said}");
    let file = SecretFile::read(&bench.path("k")).unwrap();
    let right = Passphrase::new(Zeroizing::new("correct horse".into())).unwrap();
    let key = SecretKey::from_file(&file.decrypt(&right).unwrap()).unwrap();
    // Both halves are of one key.
    assert_eq!(key.public().to_text(), text(&bench.read("k.pub")));
}

#[test]
fn keys_of_witnesses_may_be_encrypted() {
    let bench = Bench::new();
    with_passphrases(&bench);
    bench.ok("witness keygen --name witness.example/w --out w");
    bench.ok("keygen --out k");
    bench.ok("witness keygen --name log.example/l --log-of k.pub --out l");
    encrypt(&bench.path("w"));
    let log = text(&bench.read("l.pub"));
    let line = format!(
        "witness --state state --key w --listen nowhere --known-log {}",
        log.trim_end()
    );
    fails(&bench, &[], &line, "there is no terminal");
    // The command accepts the key, and then fails because of the address.
    fails(&bench, RIGHT, &line, "--listen nowhere");
}

#[test]
fn keys_of_owners_may_be_encrypted() {
    let bench = Bench::new();
    with_passphrases(&bench);
    bench.ok("file keygen --out o");
    let owner = bench.ok("file owner --key o");
    encrypt(&bench.path("o"));
    assert_eq!(ok(&bench, RIGHT, "file owner --key o"), owner);
    fails(&bench, &[], "file owner --key o", "there is no terminal");
}
