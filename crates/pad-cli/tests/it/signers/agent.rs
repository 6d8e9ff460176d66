//! An SSH agent in the test, and its failures.

use std::{
    fs,
    io::{Read as _, Write as _},
    os::unix::net::{UnixListener, UnixStream},
    sync::{Arc, Mutex},
    thread,
};

use base64::{Engine as _, engine::general_purpose::STANDARD_NO_PAD};
use ed25519_dalek::Signer as _;
use sha2::{Digest as _, Sha256};

use super::{PROGRAM, fails, key, run, signs_everywhere, with_program};
use crate::bench::{Bench, Outcome as _};

/// Behaviour of the agent when it is asked for a signature or, if named so, for its keys.
#[derive(Clone, Copy, Debug)]
enum Behaviour {
    Signs,
    Refuses,
    SignsWithAnotherKey,
    NamesAnotherKind,
    AnswersGarbage,
    AnnouncesFourGibibytes,
    CutsItsAnswer,
    HangsUp,
    Hangs,
    HoldsNoKey,
    MiscountsItsKeys,
}

use Behaviour::{
    AnnouncesFourGibibytes, AnswersGarbage, CutsItsAnswer, Hangs, HangsUp, HoldsNoKey,
    MiscountsItsKeys, NamesAnotherKind, Refuses, Signs, SignsWithAnotherKey,
};

fn string(bytes: &[u8]) -> Vec<u8> {
    let length = u32::try_from(bytes.len()).unwrap().to_be_bytes();
    [&length, bytes].concat()
}

/// The encoding of the public key with this seed.
fn blob(seed: u8) -> Vec<u8> {
    [
        string(b"ssh-ed25519"),
        string(key(seed).verifying_key().as_bytes()),
    ]
    .concat()
}

fn fingerprint(blob: &[u8]) -> String {
    format!("SHA256:{}", STANDARD_NO_PAD.encode(Sha256::digest(blob)))
}

/// An RSA key, which cannot sign versions.
fn rsa_blob() -> Vec<u8> {
    [string(b"ssh-rsa"), string(&[1, 0, 1]), string(&[0xc5; 256])].concat()
}

fn identities(blobs: &[Vec<u8>], surplus: u32) -> Vec<u8> {
    let count = u32::try_from(blobs.len()).unwrap() + surplus;
    let mut answer = vec![12];
    answer.extend(count.to_be_bytes());
    for blob in blobs {
        answer.extend([string(blob), string(b"a comment")].concat());
    }
    answer
}

/// Answers one request.
fn answer(stream: &mut UnixStream, behaviour: Behaviour) {
    let mut length = [0; 4];
    stream.read_exact(&mut length).unwrap();
    let mut request = vec![0; usize::try_from(u32::from_be_bytes(length)).unwrap()];
    stream.read_exact(&mut request).unwrap();
    let message = match (request[0], behaviour) {
        (11, HoldsNoKey) => identities(&[rsa_blob()], 0),
        (11, MiscountsItsKeys) => identities(&[rsa_blob()], u32::MAX - 1),
        (11, _) => identities(&[rsa_blob(), blob(7)], 0),
        (_, Refuses) => vec![5],
        (_, AnswersGarbage) => vec![14, 0xff, 0xff, 0xff, 0xff, 1],
        (_, AnnouncesFourGibibytes) => return stream.write_all(&[0xff; 100]).unwrap(),
        (_, CutsItsAnswer) => return stream.write_all(&[0, 0, 0, 9, 14, 0]).unwrap(),
        (_, HangsUp) => return,
        (_, Hangs) => return drop(stream.read(&mut [0])),
        (_, behaviour) => {
            let known = string(&blob(7));
            let signed = request[1..].strip_prefix(&known[..]).unwrap();
            let signed = &signed[4..signed.len() - 4];
            let seed = 7 + u8::from(matches!(behaviour, SignsWithAnotherKey));
            let kind: &[u8] = match behaviour {
                NamesAnotherKind => b"ssh-rsa",
                _ => b"ssh-ed25519",
            };
            let bytes = key(seed).sign(signed).to_bytes();
            let signature = [string(kind), string(&bytes)].concat();
            [&[14][..], &string(&signature)].concat()
        }
    };
    stream.write_all(&string(&message)).unwrap();
}

/// Starts an agent at the socket `agent`.
fn start(bench: &Bench) -> Arc<Mutex<Behaviour>> {
    let behaviour = Arc::new(Mutex::new(Signs));
    let shared = Arc::clone(&behaviour);
    let listener = UnixListener::bind(bench.path("agent")).unwrap();
    thread::spawn(move || {
        for stream in listener.incoming() {
            let behaviour = *shared.lock().unwrap();
            answer(&mut stream.unwrap(), behaviour);
        }
    });
    behaviour
}

#[test]
fn an_agent_signs_in_place_of_the_secret_key() {
    let bench = Bench::new();
    start(&bench);
    let mine = fingerprint(&blob(7));
    run(&bench, &format!("keygen --out k --author agent:{mine}")).succeeds();
    signs_everywhere(&bench, &format!("--signer agent:{mine} --public k.pub"));
    bench.ok("keygen --out other");
    let other = format!("put --store o --signer agent:{mine} --public other.pub a 1");
    fails(&bench, &other, 2, "is not the author's key in other.pub");
    let rsa = fingerprint(&rsa_blob());
    let rsa = format!("commit --store s --signer agent:{rsa} --public k.pub --allow-empty");
    fails(&bench, &rsa, 2, "is not an Ed25519 key");
}

#[test]
fn an_agent_that_does_not_sign_loses_nothing() {
    let bench = Bench::new();
    let behaviour = start(&bench);
    let mine = fingerprint(&blob(7));
    let signer = format!("--signer agent:{mine} --public k.pub");
    run(&bench, &format!("keygen --out k --author agent:{mine}")).succeeds();
    run(&bench, &format!("put --store s {signer} --commit a 1")).succeeds();
    bench.ok("put --store s a 2");
    let before = bench.ok("status --store s --changes");
    let named = format!("SSH agent {}: ", bench.path("agent").display());
    for (next, code, reason) in [
        (Refuses, 4, "the agent refused the request"),
        (SignsWithAnotherKey, 3, "the signature does not verify"),
        (NamesAnotherKind, 4, "malformed"),
        (AnswersGarbage, 4, "malformed"),
        (AnnouncesFourGibibytes, 4, "malformed"),
        (CutsItsAnswer, 4, "malformed"),
        (HangsUp, 4, "SSH agent "),
        (Hangs, 4, "no answer in 1 s"),
        (HoldsNoKey, 2, "the agent does not hold SHA256:"),
        (MiscountsItsKeys, 4, "malformed"),
    ] {
        *behaviour.lock().unwrap() = next;
        let commit = match next {
            Hangs => format!("commit --store s {signer} --signer-timeout 1"),
            _ => format!("commit --store s {signer}"),
        };
        fails(&bench, &commit, code, reason);
        if !matches!(next, SignsWithAnotherKey) {
            fails(&bench, &commit, code, &named);
        }
        assert_eq!(bench.ok("status --store s --changes"), before, "{next:?}");
    }
    *behaviour.lock().unwrap() = Signs;
    run(&bench, &format!("commit --store s {signer}")).succeeds();
    bench.ok("check --store s --public k.pub");
    let without_agent = format!("commit --store s --signer agent:{mine} --public k.pub");
    let none = bench.path("none").display().to_string();
    let output = bench.run_with(&[("SSH_AUTH_SOCK", none.as_str())], &without_agent);
    output.fails_with(4, &format!("SSH agent {none}: "));
    let mut command = bench.command();
    command.env_remove("SSH_AUTH_SOCK");
    let output = command.args(without_agent.split(' ')).output();
    output.unwrap().fails_with(2, "");
}

/// While a process waits for its agent, another process signs the pending changes.
#[test]
fn a_commit_succeeds_if_another_process_has_signed_its_changes() {
    let bench = with_program("--scheme red-black");
    bench.ok(&format!("put --store s {PROGRAM} --commit apple 1"));
    let socket = bench.path("agent");
    let signer = format!("--signer agent:{} --public k.pub", fingerprint(&blob(7)));
    // Runs a commit, and `other` as soon as the commit has connected to the agent.
    let interrupted = |commit: &str, other: &str| {
        drop(fs::remove_file(&socket));
        let listener = UnixListener::bind(&socket).unwrap();
        thread::scope(|scope| {
            scope.spawn(|| {
                let (mut stream, _) = listener.accept().unwrap();
                bench.ok(other);
                answer(&mut stream, Signs);
            });
            let output = run(&bench, &format!("{commit} --store s {signer}"));
            // If the commit has not connected, the thread must not wait for ever.
            drop(UnixStream::connect(&socket));
            output
        })
    };
    let signing = format!("commit --store s {PROGRAM}");
    bench.ok("put --store s apple 2");
    bench.ok("put --store s pear 3");
    let output = interrupted("commit", &signing);
    let said = "version 2 contains the changes already, nothing was signed\n";
    assert_eq!(output.succeeds(), said);
    // Dropped changes, and a name that the version of another process lacks, are failures.
    let dropped = "no later version contains the change";
    for (commit, other, error) in [
        ("commit", "reset --store s", dropped),
        ("commit --name last", signing.as_str(), "nothing is pending"),
    ] {
        bench.ok("put --store s fig 4");
        interrupted(commit, other).fails_with(2, error);
    }
}
