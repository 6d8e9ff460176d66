//! The two unsound forms of proofs in the paper. A naive verifier accepts forgeries. This crate has
//! no such messages.

use block_directory::{
    DirectoryClient, Entry, Hint,
    internals::{
        BlockRoot, BlockTree, OpenedProof,
        strategy::{
            AdHash1600, AdSum1600, BlockDigest, Combination, LtHash, LtLanes, MuHash1024,
            MuHash3072, MuProduct1024, MuProduct3072,
        },
    },
};
use crypto_bigint::{Uint, modular::ConstMontyForm};
use pad_core::{Sha256Ed25519, Suite, Untrusted, VerifyError, codec};
use serde_json::Value as Json;

use crate::{
    known_answers::{bytes, digest, each_case, number},
    support::{accepted, directory, head_of, id, ids, object},
};

type S = Sha256Ed25519;

type D = <S as Suite>::Digest;

/// Returns the group element of a live entry.
fn element<C: Combination>(number: u64, object: &D) -> C::Value {
    C::element(&[&[0], &number.to_be_bytes(), &[1], object.as_ref()]).unwrap()
}

/// Checks the paper's equation: `rest` combined with `entry` must give `block`.
fn naive<C: Combination>(block: &[u8], entry: &C::Value, rest: &C::Value) -> bool {
    let mut combined = rest.clone();
    C::combine(&mut combined, entry);
    C::summary::<S>(&combined) == block
}

/// Makes the attack: removes any `entry` from the block. The returned rest satisfies the equation,
/// even if the block never contained the entry.
fn forge<C: Combination>(block: &C::Value, entry: &C::Value) -> C::Value {
    let mut rest = block.clone();
    C::remove(&mut rest, entry);
    rest
}

fn check_forgery<C: Combination, B: BlockDigest<S>>() {
    let mut tree = BlockTree::<S, B>::new(8).unwrap();
    let mut block = C::neutral();
    for number in 0..8 {
        tree.append(object::<S>(number)).unwrap();
        C::combine(&mut block, &element::<C>(number, &object::<S>(number)));
    }
    assert_eq!(C::summary::<S>(&block), tree.top());
    let lie = object::<S>(666);
    let entry = element::<C>(7, &lie);
    let rest = forge::<C>(&block, &entry);
    assert!(naive::<C>(&tree.top(), &entry, &rest));
    // The closest message of this crate: the entry, and the rest instead of the other slots.
    let root = BlockRoot::new(&head_of::<S>(tree.root()), 8).unwrap();
    let mut contents = vec![1];
    contents.extend_from_slice(lie.as_ref());
    contents.extend(C::summary::<S>(&rest));
    let refused = verify::<B>(&root, 7, &contents);
    assert_eq!(refused, Err(VerifyError::BlockLength));
    // The right number of slots with one false slot is refused too.
    let honest = codec::encode_body(&tree.prove(id(7)));
    let (_, _, mut slots): (u64, u32, Vec<u8>) = codec::decode_body(&honest).unwrap();
    slots[7 * 33 + 1..].copy_from_slice(lie.as_ref());
    assert_eq!(
        verify::<B>(&root, 7, &slots),
        Err(VerifyError::RootMismatch)
    );
}

fn verify<B: BlockDigest<S>>(
    root: &BlockRoot<S>,
    asked: u64,
    contents: &[u8],
) -> Result<(), VerifyError> {
    let body = codec::encode_body(&(8_u64, 8_u32, contents));
    let proof: OpenedProof<S, B> = codec::decode_body(&body).unwrap();
    Untrusted::new(proof).verify(root, &id(asked)).map(drop)
}

/// The first unsound form of proof is the entry, with the combined digest of the rest of its block.
/// It must be forgeable for any entry, and our proof must not.
#[test]
fn the_rest_of_a_block_proves_nothing() {
    check_forgery::<AdSum1600, AdHash1600>();
    check_forgery::<MuProduct1024, MuHash1024>();
    check_forgery::<MuProduct3072, MuHash3072>();
    check_forgery::<LtLanes, LtHash>();
    each_case("forged_rest_of_block", |_, case| {
        let rest = bytes(&case["rest"]);
        match number(&case["strategy"]) {
            3 => check_equation::<AdSum1600>(case, &Uint::from_be_slice(&rest)),
            4 => {
                let rest = ConstMontyForm::new(&Uint::from_be_slice(&rest));
                check_equation::<MuProduct1024>(case, &rest);
            }
            other => panic!("strategy {other}"),
        }
    });
}

fn check_equation<C: Combination>(case: &Json, rest: &C::Value) {
    let forged = digest::<S>(&case["forged_object_digest"]);
    let entry = element::<C>(number(&case["id"]), &forged);
    assert!(naive::<C>(&bytes(&case["block"]), &entry, rest));
}

/// The paper's hint: digests of the blocks above an entry, from the bottom up, stored with the
/// object.
struct PaperHint {
    object: D,
    blocks: Vec<D>,
}

/// Returns whether the paper's client accepts: the object must be the one in the hint, and the
/// server must have one of the hint's blocks.
fn naive_client(held: &D, hint: &PaperHint, server_has: impl Fn(&D) -> bool) -> bool {
    hint.object == *held && hint.blocks.iter().any(server_has)
}

/// The second unsound form is a hint of pairs, where nothing binds the object to the lowest block.
/// The object store swaps an object and leaves the blocks unchanged. The paper's client accepts
/// this, and ours must refuse it.
#[test]
fn digests_of_blocks_prove_nothing_about_an_object() {
    let (author, server) = directory(40, 2);
    let proof = server.prove_latest(&ids(&[9])).unwrap();
    let dictionary = author.authority().dictionary;
    let hint = Hint::new(dictionary, id(9), server.latest(), &proof).unwrap();
    let (registered, _, siblings): Fields =
        codec::decode_body(&codec::encode_body(&proof)).unwrap();
    let honest = hint
        .clone()
        .offer(author.authority(), id(9), &object::<S>(9), 2)
        .unwrap();
    let chain = codec::encode_body(&honest.chain());
    let (_, blocks): (u32, Vec<D>) = codec::decode_body(&chain).unwrap();
    let lie = object::<S>(666);
    let swapped = PaperHint {
        object: lie,
        blocks: blocks.clone(),
    };
    assert!(naive_client(&lie, &swapped, |block| blocks.contains(block)));
    // This crate computes the blocks from the object, which gives other blocks.
    let refused = hint.offer(author.authority(), id(9), &lie, 2);
    assert_eq!(refused, Err(VerifyError::HintOfAnotherObject));
    let mut swapped = codec::envelope(162, S::ID.0);
    let version = server.latest().number();
    let fields = (dictionary, 9_u64, version, registered, Some(lie), siblings);
    swapped.extend(codec::encode_body(&fields));
    let swapped: Hint<S> = codec::decode(&swapped, 2048).unwrap();
    let offer = swapped
        .clone()
        .offer(author.authority(), id(9), &lie, 2)
        .unwrap();
    let chain = codec::encode_body(&offer.chain());
    let (_, computed): (u32, Vec<D>) = codec::decode_body(&chain).unwrap();
    assert!(computed.iter().all(|block| !blocks.contains(block)));
    // The server therefore has none of them, and answers with the registered object.
    let mut client = DirectoryClient::<S>::new(*author.authority(), 2);
    let asked = client.ask_with_hint(id(9), &lie, &codec::encode(&swapped));
    let (_, without) = client.ask_with_hint(id(9), &lie, b"");
    assert_ne!(asked.1, without, "the swapped hint is sent");
    let found = accepted(asked, &server, &mut client);
    let entry = found.entries.get().of(id(9));
    assert_eq!(entry, Some(Entry::Live(object::<S>(9))));
}

/// Number of entries, entries, siblings.
type Fields = (u64, Vec<Option<D>>, Vec<D>);
