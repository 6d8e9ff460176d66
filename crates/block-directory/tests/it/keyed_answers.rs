//! Known answers of the keyed layout: operations, shapes, merges, roots, proofs.

use std::collections::BTreeMap;

use block_directory::{BlockRecord, Capacity, KeyedTree};
use pad_core::{
    Blake3Ed25519, Key, KeyRange, Keys, Operation, Paper2010, Proof as _, Sha256Ed25519, Suite,
    Value, codec,
};
use pad_tree::{ProvableQuery, TreeProof};
use serde_json::Value as Json;

use crate::{
    known_answers::{bytes, digest, items, number, vectors},
    support::head_of,
};

/// Calls a function for the suite that a vector names.
macro_rules! with_suite {
    ($vector:expr, $function:ident) => {
        match number(&$vector["suite"]) {
            1 => $function::<Sha256Ed25519>($vector),
            2 => $function::<Blake3Ed25519>($vector),
            3 => $function::<Paper2010>($vector),
            other => panic!("suite {other}"),
        }
    };
}

fn text(value: &Json) -> &str {
    value.as_str().unwrap()
}

pub(crate) fn key(text: &str) -> Key {
    Key::try_from(text).unwrap()
}

fn operation(pair: &Json) -> Operation {
    let key = key(text(&pair[0]));
    match pair[1].as_str() {
        Some(value) => Operation::Put(key, Value::try_from(value).unwrap()),
        None => Operation::Remove(key),
    }
}

/// The blocks in one line: `[..]` one of entries, `(..)` one of others.
pub(crate) fn shape<S: Suite>(tree: &KeyedTree<S>) -> String {
    fn write<S: Suite>(blocks: &BTreeMap<u64, BlockRecord<S>>, number: u64) -> String {
        let block = &blocks[&number];
        if block.level == 0 {
            let keys = block.entries.iter().map(|(key, _)| key.to_string());
            return format!("[{}]", keys.collect::<Vec<_>>().join(" "));
        }
        let children = block.children.iter();
        let children = children.map(|child| write(blocks, child.number));
        format!("({})", children.collect::<Vec<_>>().join(" "))
    }
    let blocks = tree.records().collect();
    tree.top()
        .map_or_else(|| "[]".into(), |top| write(&blocks, top))
}

fn check_history<S: Suite>(vector: &Json) {
    let slots = usize::try_from(number(&vector["b"])).unwrap();
    let mut tree = KeyedTree::<S>::new(Capacity::of(slots).unwrap());
    for version in items(vector, "versions") {
        let operations: Vec<Operation> =
            items(version, "operations").iter().map(operation).collect();
        tree.apply(&operations).unwrap();
        if let Some(expected) = version["shape"].as_str() {
            assert_eq!(shape(&tree), expected);
        }
        assert_eq!(tree.len(), number(&version["entries"]));
        assert_eq!(
            tree.root(),
            digest::<S>(&version["root"]),
            "version {}",
            version["version"]
        );
        assert_eq!(tree.merges(), number(&version["merges"]));
    }
    for proof in items(vector, "proofs") {
        check_proof(&tree, proof);
    }
}

/// The prover's message is the vector's, and the verifier of `pad-tree` takes it.
fn check_proof<S: Suite>(tree: &KeyedTree<S>, vector: &Json) {
    let bound = |name: &str| vector[name].as_str().map(key);
    let keys = || items(vector, "keys").iter().map(|asked| key(text(asked)));
    match number(&vector["kind"]) {
        16 => check_message(tree, &keys().next().unwrap(), vector),
        17 => check_message(tree, &Keys::new(keys().collect()).unwrap(), vector),
        18 => {
            let (start, end) = (bound("start"), bound("end"));
            check_message(tree, &KeyRange { start, end }, vector);
        }
        other => panic!("kind {other}"),
    }
}

fn check_message<S: Suite, Q: ProvableQuery>(tree: &KeyedTree<S>, query: &Q, vector: &Json) {
    let message = codec::encode(&tree.prove(query).unwrap());
    assert_eq!(message, bytes(&vector["proof"]));
    let proof: TreeProof<S, Q> = codec::decode(&message, message.len()).unwrap();
    proof.check(&head_of::<S>(tree.root()), query).unwrap();
}

#[test]
fn shapes_roots_and_proofs_are_those_of_the_vectors() {
    for vectors in vectors() {
        for vector in items(&vectors, "keyed") {
            with_suite!(vector, check_history);
        }
    }
}
