//! Tests of `--signer`: a program or an SSH agent signs in place of the secret key file.

use std::{path::Path, process::Output};

use ed25519_dalek::SigningKey;

use crate::bench::{Bench, Outcome as _, TRACE, assert_has, is_error};

mod agent;

/// A program in Python that signs with the seed in the file `seed`.
const SIGN: &str = r#"
import hashlib
from pad_verifier.ed25519 import BASE, ORDER, _compress, _multiply, public_of

seed = open("seed", "rb").read()
message = sys.stdin.buffer.read()
digest = hashlib.sha512(seed).digest()
scalar = int.from_bytes(digest[:32], "little") & (1 << 254) - 8 | 1 << 254

def number(*parts):
    return int.from_bytes(hashlib.sha512(b"".join(parts)).digest(), "little") % ORDER

nonce = number(digest[32:], message)
point = _compress(_multiply(nonce, BASE))
rest = (nonce + number(point, public_of(seed), message) * scalar) % ORDER
sys.stdout.buffer.write(point + rest.to_bytes(32, "little"))
"#;

/// The options of a commit by the program in Python.
const PROGRAM: &str = "--signer exec:./sign --public k.pub";

fn key(seed: u8) -> SigningKey {
    SigningKey::from_bytes(&[seed; 32])
}

/// Writes an executable script in Python.
fn script(bench: &Bench, name: &str, lines: &str) {
    let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/python");
    let text = format!(
        "#!/usr/bin/env python3\nimport sys\nsys.path.insert(0, '{}')\n{lines}",
        examples.display()
    );
    bench.write(name, text.as_bytes());
    bench.set_mode(name, 0o700);
}

/// Creates a folder with a public key `k.pub`, and a program `sign` that holds its secret key.
fn with_program(options: &str) -> Bench {
    let bench = Bench::new();
    script(&bench, "sign", SIGN);
    bench.write("seed", key(7).as_bytes());
    if options.contains("--parameters par") {
        bench.ok("parameters --top 4 --out par");
    }
    let author = hex::encode(key(7).verifying_key().as_bytes());
    let made = &bench.json(&format!("keygen --out k --author {author} {options}"))[0];
    assert_eq!(made["author"], author);
    assert_eq!(made["secret_key"], serde_json::Value::Null);
    assert!(!bench.path("k").exists());
    bench
}

/// Runs a line like [`Bench::run`], with the socket `agent` of an SSH agent.
fn run(bench: &Bench, line: &str) -> Output {
    let socket = bench.path("agent");
    bench.run_with(&[("SSH_AUTH_SOCK", socket.to_str().unwrap())], line)
}

/// Runs a line that must fail like [`Bench::fails`], with the socket of an SSH agent.
fn fails(bench: &Bench, line: &str, code: i32, reason: &str) {
    let error = run(bench, line).fails_with(code, reason);
    assert!(is_error(&error), "{error}");
}

/// Checks that every command that signs accepts the signer `signer`.
fn signs_everywhere(bench: &Bench, signer: &str) {
    bench.write("t.csv", TRACE.as_bytes());
    for line in [
        format!("import --store s {signer} t.csv"),
        format!("put --store s {signer} --commit apple 9"),
        "put --store s cherry 2".to_owned(),
        format!("commit --store s {signer} --name last"),
    ] {
        run(bench, &line).succeeds();
    }
    let expected = serde_json::json!({ "value": "9", "verified": true });
    assert_has(&bench.get("--at last apple"), &expected, signer);
    bench.ok("check --store s --public k.pub");
}

#[test]
fn a_program_signs_in_place_of_the_secret_key() {
    let schemes: &[&str] = &["--scheme red-black", "--scheme tuple-spec"];
    for scheme in schemes {
        signs_everywhere(&with_program(scheme), PROGRAM);
    }
    let bench = with_program("--scheme directory");
    bench.write("a.jpg", b"a");
    bench.ok("directory create d --public k.pub");
    bench.ok(&format!("directory append d {PROGRAM} a.jpg"));
    bench.ok(&format!("directory delete d {PROGRAM} 0"));
    bench.ok("directory check d --public k.pub");
    let bench = with_program("--scheme directory");
    bench.write("a.jpg", b"a");
    bench.ok(&format!("directory import d {PROGRAM} a.jpg"));
    bench.ok("directory check d --public k.pub");
}

#[test]
fn a_program_signs_a_log() {
    let bench = with_program("--scheme aad-counted --parameters par");
    let put = format!("put --store s {PROGRAM} --parameters par --commit apple 3");
    bench.ok(&put);
    let found = &bench.json("get --store s --public k.pub apple")[0];
    assert_eq!(found["verified"], true);
}

/// Programs that sign nothing: script, and exit status with error of `pad commit`.
const FAILING: [(&str, &str); 9] = [
    (
        "sys.exit('warming up\\nthe module is locked')",
        "4 exit status: 1: the module is locked",
    ),
    ("sys.exit(7)", "4 exit status: 7"),
    ("", "4 it wrote 0 bytes"),
    ("print('no signature')", "4 it wrote 13 bytes"),
    (
        "sys.stdout.buffer.write(bytes(64))",
        "3 the signature does not verify",
    ),
    ("import time; time.sleep(600)", "4 no answer in 1 s"),
    (
        "import time; print('touch the token', file=sys.stderr, flush=True); time.sleep(600)",
        "4 no answer in 5 s: touch the token",
    ),
    (
        "while True: sys.stdout.write('x' * 9999)",
        "4 more than the 64 bytes",
    ),
    (
        "while True: sys.stderr.write('x' * 9999)",
        "4 no answer in 1 s",
    ),
];

#[test]
fn a_program_that_does_not_sign_loses_nothing() {
    let bench = with_program("--scheme red-black");
    bench.ok(&format!("put --store s {PROGRAM} --commit apple 3"));
    bench.ok("put --store s apple 4");
    let before = bench.ok("status --store s --changes");
    let fails = |signer: &str, expected: &str| {
        // On a busy machine, programs take seconds to start.
        let timeouts = ["1", "5"];
        let timeout = timeouts
            .iter()
            .find(|some| expected.contains(&format!("in {some} s")));
        let line = format!(
            "commit --store s --public k.pub --signer-timeout {} --signer {signer}",
            timeout.unwrap_or(&"60"),
        );
        bench.step(&format!("{line} => {expected}"));
        assert_eq!(bench.ok("status --store s --changes"), before);
    };
    for (number, (lines, expected)) in FAILING.into_iter().enumerate() {
        script(&bench, &format!("failing-{number}"), lines);
        fails(&format!("exec:./failing-{number}"), expected);
    }
    fails("exec:./none", "4 cannot run ./none");
    bench.write("seed", key(8).as_bytes());
    fails("exec:./sign", "3 the signature does not verify");
    bench.write("seed", key(7).as_bytes());
    bench.ok(&format!("commit --store s {PROGRAM}"));
    bench.ok("check --store s --public k.pub");
    bench.step(&format!(
        "import --store new --record k.signed {PROGRAM} t => 4 t"
    ));
}

#[test]
fn a_program_that_stays_behind_does_not_delay_the_signature() {
    let bench = with_program("--scheme red-black");
    // The second program holds the pipes of the first one.
    let stays = "import subprocess; sys.stdout.flush(); subprocess.Popen(['sleep', '60'])";
    script(&bench, "starter", &format!("{SIGN}\n{stays}"));
    let by = "--signer exec:./starter --public k.pub --signer-timeout 20";
    bench.ok(&format!("put --store s {by} --commit apple 3"));
}

#[test]
fn contradictory_options_are_refused() {
    let bench = with_program("--scheme red-black");
    bench.ok("keygen --out other");
    bench.ok(&format!("put --store s {PROGRAM} --commit apple 3"));
    let commit = "commit --store s --allow-empty --public k.pub";
    for signer in ["exec:", "agent:MD5:00", "agent:SHA256:AA", "card:1"] {
        bench.step(&format!("{commit} --signer {signer} => usage"));
    }
    let both = format!("{commit} --signer exec:./sign --key other");
    bench.fails(&both, 2, "alternatives");
    let overriding = format!("commit --store s --allow-empty {PROGRAM}");
    let overridden = bench.run_with(&[("PAD_KEY", "other")], &overriding);
    overridden.succeeds();
    let other = "commit --store s --allow-empty --signer exec:./sign --public other.pub";
    bench.fails(other, 2, "the key is for dictionary");
    let author = hex::encode(key(7).verifying_key().as_bytes());
    let keygen = format!("keygen --out new --author {author}");
    bench.steps(&[
        &format!("{keygen} --scheme tuple-base-superseding-bls => 2 needs a secret key file"),
        &format!("{keygen} --passphrase => 2 no secret key"),
        &keygen,
        &format!("{keygen} => 2 exists already"),
        // The public key of an existing dictionary can be created again, but not its record.
        &format!("keygen --out again --author {author} --dictionary prices"),
    ]);
    assert!(!bench.path("again.signed").exists());
    let by = "--signer exec:./sign --public again.pub";
    bench.ok(&format!("put --store prices a 1 {by}"));
    let commit = format!("commit --store prices {by}");
    bench.fails(&commit, 3, "--new-record");
    bench.ok(&format!("{commit} --new-record"));
}

#[test]
fn options_of_a_signer_need_a_signer() {
    let bench = with_program("--scheme red-black");
    bench.ok("keygen --out own");
    for command in [
        "put --store new --key own a 1",
        "put --store new --key own --commit a 1",
        "remove --store new --key own a",
        "commit --store new --key own --allow-empty",
        "import --store new --key own t.csv",
    ] {
        let public = format!("{command} --public own.pub");
        bench.fails(&public, 2, "--public has no effect without --signer");
        bench.step(&format!(
            "{command} --signer-timeout 5 => usage --signer <SIGNER>"
        ));
        assert!(!bench.path("new").exists(), "{command}");
    }
    // The variable serves commands that verify, so it may be set for others too.
    let put = "put --store new --key own --commit a 1";
    bench.run_with(&[("PAD_PUBLIC", "own.pub")], put).succeeds();
}
