//! Checks that untrusted input is refused before it takes memory, and that commands read only the
//! data they need.

#![cfg(target_os = "linux")]

use authdict::{
    Key, Operation, PublicKey, Sha256Ed25519, Version, pad_core::codec, pad_tree::TreeProof,
};
use ed25519_dalek::SigningKey;
use pad_conformance::soak;
use pad_core::{Response, SignedHead, SnapshotHead, Update};

use crate::bench::{Bench, OF_TREE, Outcome as _, TRACE};

type S = Sha256Ed25519;

/// Returns the number of operations in a stranger's update, and the limit of virtual memory for
/// `pad`, in KiB. The limit is several times the amount that starting takes, and below the amount
/// that the operations would take.
fn sizes() -> (u32, u32) {
    soak::size((2_000_000, 200_000), (6_000_000, 400_000))
}

fn limited(bench: &Bench, line: &str) -> std::process::Output {
    // Each arena of the allocator takes virtual memory, and the number of arenas depends on the
    // load.
    let (_, limit) = sizes();
    bench.shell(&format!(
        "export MALLOC_ARENA_MAX=1; ulimit -v {limit}; exec pad {line}"
    ))
}

/// Returns a head of the dictionary of `k.pub` that another key has signed.
fn strangers_head(bench: &Bench, version: u64) -> SignedHead<S> {
    let public = PublicKey::load(&bench.path("k.pub")).unwrap();
    let empty = SnapshotHead::<S>::empty(public.authority.scheme, public.authority.dictionary);
    let head = SnapshotHead {
        version: Version::new(version),
        ..empty
    };
    head.sign(&SigningKey::from_bytes(&[66; 32])).unwrap()
}

fn remove(number: u32) -> Operation {
    Operation::Remove(Key::new(number.to_be_bytes().to_vec()).unwrap())
}

/// Encodes an update with `count` removals of the keys that `key` returns. This is much faster than
/// [`codec::encode`] with all operations in memory.
fn with_removals(update: &Update<S>, count: u32, key: impl Fn(u32) -> u32) -> Vec<u8> {
    let of = |operations| {
        let update = Update {
            operations,
            ..update.clone()
        };
        codec::encode(&update)
    };
    let (none, one) = (of(Vec::new()), of(vec![remove(u32::MAX)]));
    let mut both = none.iter().zip(&one);
    // The number of operations is in front of them.
    let place = both.position(|(none, one)| none != one).unwrap();
    let (before, after) = (&none[..place], &none[place + 1..]);
    let operation = &one[place + 1..one.len() - after.len()];
    let start = operation.strip_suffix(&[0xff; 4]).unwrap();
    let mut bytes = [before, &[0xfc], &count.to_le_bytes()].concat();
    bytes.reserve(operation.len() * usize::try_from(count).unwrap());
    for number in 0..count {
        bytes.extend_from_slice(start);
        bytes.extend_from_slice(&key(number).to_be_bytes());
    }
    bytes.extend_from_slice(after);
    bytes
}

#[test]
fn many_removals_are_encoded_like_any_operations() {
    let bench = Bench::with_trace();
    let update = strangers_update(&bench);
    let operations = (0..70_000).map(remove).collect();
    let fast = with_removals(&update, 70_000, |number| number);
    let update = Update {
        operations,
        ..update
    };
    assert!(fast == codec::encode(&update));
}

fn strangers_update(bench: &Bench) -> Update<S> {
    Update {
        base: Version::new(3),
        operations: Vec::new(),
        head: strangers_head(bench, 4),
        attachment: (),
    }
}

#[test]
fn a_strangers_update_is_refused_before_its_operations_are_kept() {
    let bench = Bench::with_trace();
    let update = strangers_update(&bench);
    let (count, _) = sizes();
    bench.write("update", &with_removals(&update, count, |number| number));
    // Each operation takes more than five bytes.
    assert!(bench.read("update").len() > usize::try_from(count).unwrap() * 5);
    let refused = limited(&bench, "apply --store s update");
    refused.fails_with(3, "the signature does not verify with the author's key");
}

/// An update with the author's next head, but with a stranger's operations, must be refused within
/// the memory limit.
#[test]
fn a_strangers_operations_are_refused_before_they_are_kept() {
    let bench = Bench::with_trace();
    bench.copy("s", "before", OF_TREE);
    bench.publish("put cherry 9");
    bench.ok("export --store s --at 4 --out u");
    let bytes = bench.read("u");
    let update: Update<S> = codec::decode(&bytes, bytes.len()).unwrap();
    let (count, _) = sizes();
    let absent = with_removals(&update, count, |number| number);
    let repeated = with_removals(&update, count, |_| 1);
    for (forged, reason) in [(absent, "removes an absent key"), (repeated, "ascending")] {
        bench.write("forged", &forged);
        limited(&bench, "apply --store before forged").fails_with(3, reason);
    }
    bench.ok("apply --store before u");
}

#[test]
fn a_strangers_proof_is_refused_before_it_is_decoded() {
    let bench = Bench::with_trace();
    bench.ok("prove --store s apple --at 3 --out p");
    let bytes = bench.read("p");
    let mut bundle: Response<S, TreeProof<S, Key>> = codec::decode(&bytes, bytes.len()).unwrap();
    bundle.head = Some(strangers_head(&bench, 3));
    let mut proof = codec::encode(&bundle);
    // The bytes after the head are malformed, but must never be read.
    proof.extend(std::iter::repeat_n(1, 15 << 20));
    bench.write("p", &proof);
    let refused = limited(&bench, "verify --public k.pub --proof p --at 3 apple");
    refused.fails_with(3, "the signature does not verify with the author's key");
}

/// Returns the bytes that a refused command reads from files. Programs and libraries are mapped, so
/// they do not count.
fn bytes_read(bench: &Bench, line: &str) -> u64 {
    // The counter of a process includes the bytes read by the children that it has waited for.
    let output = bench.shell(&format!("pad {line}; test $? -eq 2 && cat /proc/$$/io"));
    let counts = output.succeeds();
    let read = counts.lines().find_map(|line| line.strip_prefix("rchar: "));
    read.unwrap().parse().unwrap()
}

/// Opening a store must read the same number of bytes after a bulk load as before it.
///
/// The import is refused after it has compared the imported snapshots. Nothing is opened for
/// writing, because in builds with the engine's debug assertions, this would read the whole file.
#[test]
fn opening_a_store_reads_no_updates() {
    let bench = Bench::with_trace();
    bench.write("other.csv", TRACE.replace("apple,3", "apple,4").as_bytes());
    let refused = "import --store s --key k other.csv";
    let before = bytes_read(&bench, refused);
    let value = "x".repeat(12 << 20);
    let rows = ["one", "two"].map(|key| format!("d,put,{key},{value}\n"));
    bench.write("large.csv", [TRACE, &rows.concat()].concat().as_bytes());
    bench.ok("import --store s --key k large.csv");
    let after = bytes_read(&bench, refused);
    let is_small = after < before + (1 << 20);
    assert!(is_small, "{before} bytes before, {after} after");
}
