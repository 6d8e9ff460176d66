//! Writes the committed corpora from honest messages: `cargo run --example seed_corpus` in `fuzz/`.

use std::{fs, path::Path};

use pad_conformance::{
    Pad, Random, TuplePad,
    operation::{key, value},
    tree::tree_author,
    tuple::TestSecret,
};
use pad_core::{
    Contradiction, Dictionary, DictionaryId, Equivocation, Heads as _, Past, Repository,
    Sha256Ed25519, Suite, TrustedView, Untrusted, Version, codec, internals::Testimony,
};
use pad_fuzz::{target::TARGETS, tuples::TUPLES};
use pad_tree::{RedBlack, RedBlackPathCopying};
use pad_tuple::{
    designs::{BaseSuperseding, SpecLightweight},
    internals::Design,
};

fn write(target: &str, name: &str, bytes: &[u8]) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("corpus")
        .join(target);
    fs::create_dir_all(&folder).expect("a folder");
    fs::write(folder.join(name), bytes).expect("a file");
}

fn main() {
    TARGETS.with(|targets| {
        for (scheme, target) in (0_u8..).zip(targets) {
            for (query, proof) in (0_u8..).zip(&target.proofs) {
                let name = format!("{scheme}-{query}");
                let body = &proof[codec::ENVELOPE_LENGTH..];
                write("verify_proof", &name, &[&[scheme, query], body].concat());
                if scheme == 1 {
                    write("decode_messages", &format!("proof-{query}"), proof);
                }
                let changes = Random::new(query.into()).bytes(8);
                let other = (query + 5) % 20;
                write(
                    "malleability",
                    &name,
                    &[&[scheme, query, other], &changes[..]].concat(),
                );
            }
        }
    });
    tuples();
    for (name, input) in pad_fuzz::aad::seeds() {
        write("aad", &name, &input);
    }
    for (name, input) in pad_fuzz::accumulators::seeds() {
        write("accumulators", &name, &input);
    }
    for (name, input) in pad_fuzz::flexlist::seeds() {
        write("flexlist", &name, &input);
    }
    for (name, input) in pad_fuzz::transparency::seeds() {
        write("transparency", &name, &input);
    }
    other_messages();
    for seed in 0..8 {
        let bytes = Random::new(seed).bytes(3 * 60);
        write("operations", &format!("random-{seed}"), &bytes);
        let bytes = Random::new(100 + seed).bytes(4 * 60);
        write("flexlist_operations", &format!("random-{seed}"), &bytes);
    }
}

/// Writes up to eight queries of each tuple target. The numbers of tuple schemes follow those of
/// the trees.
fn tuples() {
    TUPLES.with(|targets| {
        for (scheme, target) in (3_u8..).zip(targets) {
            let count = target.proofs().len();
            let questions = (0_u8..).zip(target.proofs());
            for (question, proof) in questions.step_by(count.div_ceil(8)) {
                let name = format!("{scheme}-{question}");
                let body = &proof[codec::ENVELOPE_LENGTH..];
                let seed = [&[scheme, question], body].concat();
                write("verify_proof", &name, &seed);
                write("decode_messages", &format!("tuples-{name}"), proof);
                let changes = Random::new(question.into()).bytes(8);
                let other = question + 8;
                let seed = [&[scheme, question, other], &changes[..]].concat();
                write("malleability", &name, &seed);
            }
        }
    });
    tuple_updates::<BaseSuperseding>();
    tuple_updates::<SpecLightweight>();
}

fn tuple_updates<D: Design<Sha256Ed25519, Secret: TestSecret>>() {
    let mut author =
        <TuplePad<Sha256Ed25519, D> as Pad>::author(DictionaryId::from_name("fuzz"), 7);
    for number in 0..4_u8 {
        author.put(key([number]), value("v"));
        if number == 2 {
            author.remove(&key([0]));
        }
        let update = author.snapshot().expect("signs");
        let name = format!("{}-update-{number}", D::NAME);
        write("decode_messages", &name, &codec::encode(&update));
    }
}

fn other_messages() {
    let mut author = tree_author::<Sha256Ed25519, RedBlack>(DictionaryId::from_name("fuzz"), 7);
    let mut server = RedBlackPathCopying::<Sha256Ed25519>::new(author.authority());
    let mut view = TrustedView::<Sha256Ed25519>::new(author.authority());
    for number in 0..6_u8 {
        author.put(
            pad_conformance::operation::key([number]),
            pad_conformance::operation::value("v"),
        );
        if number > 2 {
            author.remove(&pad_conformance::operation::key([number - 2]));
        }
        let update = author.snapshot().expect("signs");
        server.apply(&update).expect("applies");
        write(
            "decode_messages",
            &format!("update-{number}"),
            &codec::encode(&update),
        );
    }
    let (old, new) = (Version::new(3), Version::new(6));
    let first = server.head(old).expect("a head");
    let mut head = first.head;
    head.root = Sha256Ed25519::empty_tree();
    let second = head
        .sign(&pad_conformance::pad::signing_key(7))
        .expect("signs");
    write("decode_messages", "view-new", &codec::encode(&view));
    view.advance(Untrusted::new(first), None).expect("verifies");
    write("decode_messages", "view", &codec::encode(&view));
    write("decode_messages", "head", &codec::encode(&first));
    write(
        "decode_messages",
        "fork",
        &codec::encode(&Equivocation { first, second }),
    );
    let inclusion = server
        .heads()
        .prove_inclusion(old, new)
        .expect("both exist");
    write("decode_messages", "inclusion", &codec::encode(&inclusion));
    let consistency = server
        .heads()
        .prove_consistency(old, new)
        .expect("both exist");
    write(
        "decode_messages",
        "consistency",
        &codec::encode(&consistency),
    );
    let prefix = server.heads().prove_prefix(old, new).expect("both exist");
    write("decode_messages", "prefix", &codec::encode(&prefix));
    let own = Testimony {
        head: second,
        past: Past::Own,
    };
    let newer = server.head(new).expect("a head");
    for (name, past) in [
        ("contradiction-root", Past::Root(inclusion)),
        ("contradiction-history", Past::History(prefix)),
    ] {
        let evidence = Contradiction {
            version: old,
            first: own.clone(),
            second: Testimony { head: newer, past },
        };
        write("decode_messages", name, &codec::encode(&evidence));
    }
}
