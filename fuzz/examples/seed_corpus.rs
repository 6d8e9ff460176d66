//! Writes the committed corpora from honest messages: `cargo run --example seed_corpus` in `fuzz/`.

use std::{fs, path::Path};

use pad_conformance::{
    Pad, Random, TuplePad,
    operation::{key, value},
    pad::signing_key,
    tree::tree_author,
    tuple::TestSecret,
};
use pad_core::{
    Contradiction, Dictionary, DictionaryId, Equivocation, Heads as _, Past, Repository,
    Sha256Ed25519, Suite, TrustedView, Untrusted, Version,
    codec::{self, Message},
    internals::Testimony,
};
use pad_fuzz::targets::TARGETS;
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

fn write_message(name: &str, message: &impl Message) {
    write("decode_messages", name, &codec::encode(message));
}

fn main() {
    proofs();
    tuple_updates::<BaseSuperseding>();
    tuple_updates::<SpecLightweight>();
    for (target, seeds) in [
        ("aad", pad_fuzz::aad::seeds()),
        ("accumulators", pad_fuzz::accumulators::seeds()),
        ("flexlist", pad_fuzz::flexlist::seeds()),
        ("transparency", pad_fuzz::transparency::seeds()),
    ] {
        for (name, input) in seeds {
            write(target, &name, &input);
        }
    }
    other_messages();
    for seed in 0..8 {
        let bytes = Random::new(seed).bytes(3 * 60);
        write("operations", &format!("random-{seed}"), &bytes);
        let bytes = Random::new(100 + seed).bytes(4 * 60);
        write("flexlist_operations", &format!("random-{seed}"), &bytes);
    }
}

/// Writes all queries of each tree, and up to eight of each tuple target. The numbers of the tuple
/// targets follow those of the trees.
fn proofs() {
    TARGETS.with(|targets| {
        for (scheme, target) in (0_u8..).zip(targets) {
            let is_tree = scheme < 3;
            let step = if is_tree {
                1
            } else {
                target.proofs.len().div_ceil(8)
            };
            for (query, proof) in (0_u8..).zip(&target.proofs).step_by(step) {
                let name = format!("{scheme}-{query}");
                let body = &proof.message[codec::ENVELOPE_LENGTH..];
                write("verify_proof", &name, &[&[scheme, query], body].concat());
                let message = match scheme {
                    0 | 2 => None,
                    1 => Some(format!("proof-{query}")),
                    _ => Some(format!("tuples-{name}")),
                };
                if let Some(message) = message {
                    write("decode_messages", &message, &proof.message);
                }
                let changes = Random::new(query.into()).bytes(8);
                let other = if is_tree { (query + 5) % 20 } else { query + 8 };
                let seed = [&[scheme, query, other], &changes[..]].concat();
                write("malleability", &name, &seed);
            }
        }
    });
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
        write_message(&format!("{}-update-{number}", D::NAME), &update);
    }
}

fn other_messages() {
    let mut author = tree_author::<Sha256Ed25519, RedBlack>(DictionaryId::from_name("fuzz"), 7);
    let mut server = RedBlackPathCopying::<Sha256Ed25519>::new(author.authority());
    let mut view = TrustedView::<Sha256Ed25519>::new(author.authority());
    for number in 0..6_u8 {
        author.put(key([number]), value("v"));
        if number > 2 {
            author.remove(&key([number - 2]));
        }
        let update = author.snapshot().expect("signs");
        server.apply(&update).expect("applies");
        write_message(&format!("update-{number}"), &update);
    }
    let (old, new) = (Version::new(3), Version::new(6));
    let first = server.head(old).expect("a head");
    let mut head = first.head;
    head.root = Sha256Ed25519::empty_tree();
    let second = head.sign(&signing_key(7)).expect("signs");
    write_message("view-new", &view);
    view.advance(Untrusted::new(first), None).expect("verifies");
    write_message("view", &view);
    write_message("head", &first);
    write_message("fork", &Equivocation { first, second });
    let heads = server.heads();
    let inclusion = heads.prove_inclusion(old, new).expect("both exist");
    write_message("inclusion", &inclusion);
    let consistency = heads.prove_consistency(old, new).expect("both exist");
    write_message("consistency", &consistency);
    let prefix = heads.prove_prefix(old, new).expect("both exist");
    write_message("prefix", &prefix);
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
        write_message(name, &evidence);
    }
}
