//! Both hash functions under every tag and suite: `docs/vectors/hashes.json`, including tags of
//! other families.

use pad_conformance::published;
use pad_core::{Blake3Ed25519, Paper2010, Sha256Ed25519, Suite, internals::Domain};
use serde::Serialize;

#[derive(Serialize)]
struct EveryTag {
    comment: &'static str,
    hashes: Vec<Hash>,
    nodes: Vec<Node>,
}

/// `hash(tag, data)`.
#[derive(Serialize)]
struct Hash {
    suite: &'static str,
    tag: &'static str,
    data: String,
    digest: String,
}

/// `node(tag, left, right)`.
#[derive(Serialize)]
struct Node {
    suite: &'static str,
    tag: &'static str,
    left: String,
    right: String,
    digest: String,
}

const COMMENT: &str = "Byte strings in hexadecimal. Both functions of the section Hashing, under \
    every tag that is used with them; what \
    data stands behind a tag in the format is in the document, and is of no account here.";

/// The tags of inner nodes, and of other hashes of two digests.
const NODES: [Domain; 7] = [
    Domain::TreeNode,
    Domain::HistoryNode,
    Domain::HashChain,
    Domain::AadPair,
    Domain::AadBag,
    Domain::DirectoryEntry,
    Domain::DirectoryNode,
];

/// Domains of constants. No suite hashes under them.
const CONSTANTS: [Domain; 4] = [
    Domain::BlockAd1600,
    Domain::BlockMu1024,
    Domain::BlockMu3072,
    Domain::BlockLtHash,
];

fn add<S: Suite>(all: &mut EveryTag) {
    let (left, right) = (S::value(b"left"), S::value(b"right"));
    for domain in Domain::ALL {
        if NODES.contains(&domain) {
            all.nodes.push(Node {
                suite: S::NAME,
                tag: domain.tag(),
                left: left.to_string(),
                right: right.to_string(),
                digest: S::node(domain, &left, &right).to_string(),
            });
        } else if !CONSTANTS.contains(&domain) {
            all.hashes.push(Hash {
                suite: S::NAME,
                tag: domain.tag(),
                data: published::encode("vectors"),
                digest: S::hash(domain, &[b"vectors"]).to_string(),
            });
        }
    }
}

#[test]
fn hashes_under_every_tag_are_the_published_ones() {
    let mut all = EveryTag {
        comment: COMMENT,
        hashes: Vec::new(),
        nodes: Vec::new(),
    };
    add::<Sha256Ed25519>(&mut all);
    add::<Blake3Ed25519>(&mut all);
    add::<Paper2010>(&mut all);
    published::check("hashes", &all);
}
