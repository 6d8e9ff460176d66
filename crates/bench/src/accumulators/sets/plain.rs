//! Sets without accumulators: the author signs every element, or the root of a Merkle tree.

use std::collections::HashMap;

use pad_core::{HeadSignature, Suite, Version};
use signature::Signer;

use super::{
    super::{Plan, elements},
    CHANGE_BYTES, ELEMENT_BYTES, VERSION_BYTES,
    merkle::MerkleSet,
    set_line, with_young_generation, young_elements,
};
use crate::{line, prelude::*, primitives::Primitives};

type PlainSuite = pad_core::Sha256Ed25519;
type Digest = <PlainSuite as Suite>::Digest;

/// Measures signed elements and Merkle trees at every set size. Trees are measured in one
/// generation only, because they gain nothing from two.
pub fn run(plan: &Plan, report: &mut Report) -> Outcome<()> {
    let primitives = Primitives::measure::<PlainSuite>(&Effort::new(plan.manner.quick));
    for n in plan.sizes() {
        report.announce(format!("{n} elements, signed and in a tree"));
        let signed = signed_each(n, plan, &primitives)?;
        report.measured(set_line(&signed, n, 1))?;
        let young = signed_each(young_elements(n), plan, &primitives)?;
        report.measured(set_line(&with_young_generation(&signed, &young), n, 2))?;
        report.measured(set_line(&merkle_tree(n, plan, &primitives)?, n, 1))?;
    }
    Ok(())
}

/// Encodes the message to sign: a version, and `what`, which is an element or a root.
fn message(version: Version, what: &[u8]) -> Vec<u8> {
    let mut message = b"bench/set\0".to_vec();
    message.extend_from_slice(&version.number().to_be_bytes());
    message.extend_from_slice(what);
    message
}

/// Measures an author that signs all `n` elements again for every version. The author also signs
/// the update as a whole, and the server verifies this signature.
fn signed_each(n: usize, plan: &Plan, primitives: &Primitives) -> Outcome<Line> {
    let (elements, signer, version) = (elements(n), signing_key(), Version::new(2));
    let sign_all = || -> Vec<HeadSignature> {
        let sign = |element: &Vec<u8>| signer.sign(&message(version, element));
        elements.iter().map(sign).collect()
    };
    let signatures = sign_all();
    let places: HashMap<&[u8], usize> = elements.iter().map(Vec::as_slice).zip(0..).collect();
    let wanted = &elements[n / 2];
    let prove = || {
        let place = places.get(wanted.as_slice());
        place.map(|place| signatures[*place])
    };
    let signature = prove().ok_or("the element is in the set")?;
    let verify = || author_key().verify(&message(version, wanted), &signature);
    verify()?;
    let signature_bytes = size_of::<HeadSignature>();
    Ok(line! {
        contender: "signed-each", witnesses: "",
        author_us: plan.time_us(sign_all) + primitives.sign_us,
        author_limit_us: (n + 1) as f64 * primitives.sign_us,
        update_bytes: CHANGE_BYTES + VERSION_BYTES + (n + 1) * signature_bytes,
        apply_us: plan.time_us(|| signatures.clone()) + primitives.verify_signature_us,
        prove_us: plan.primitive_us(prove), proof_bytes: VERSION_BYTES + signature_bytes,
        verify_us: plan.primitive_us(verify), verify_limit_us: primitives.verify_signature_us,
        stored_bytes: n * (ELEMENT_BYTES + signature_bytes),
    })
}

/// Measures an update of one leaf in a Merkle tree of `n` elements. Author and server each compute
/// the new root.
fn merkle_tree(n: usize, plan: &Plan, primitives: &Primitives) -> Outcome<Line> {
    let (elements, signer, version) = (elements(n), signing_key(), Version::new(2));
    let (old, new) = (&elements[0], vec![7; ELEMENT_BYTES]);
    let mut set = MerkleSet::<PlainSuite>::new(&elements);
    let sign = |set: &MerkleSet<PlainSuite>| signer.sign(&message(version, set.root().as_ref()));
    // Replaces an element and restores it: two updates.
    let mut author = set.clone();
    let author_us = plan.primitive_us(|| {
        author.replace(old, &new);
        let first = sign(&author);
        author.replace(&new, old);
        (first, sign(&author))
    }) / 2.0;
    let signature = sign(&set);
    let check = |root: &Digest| author_key().verify(&message(version, root.as_ref()), &signature);
    let apply_us = plan.primitive_us(|| {
        set.replace(old, &new);
        set.replace(&new, old);
    }) / 2.0
        + primitives.verify_signature_us;
    let wanted = &elements[n / 2];
    let proof = set.prove(wanted).ok_or("the element is in the set")?;
    check(&proof.root(wanted))?;
    let hashes_us =
        (set.depth() as f64).mul_add(primitives.node_hash_ns, primitives.value_hash_ns) / 1e3;
    let signature_bytes = size_of::<HeadSignature>();
    Ok(line! {
        contender: "merkle-tree", witnesses: "", author_us,
        author_limit_us: primitives.sign_us + hashes_us,
        update_bytes: CHANGE_BYTES + VERSION_BYTES + signature_bytes, apply_us,
        prove_us: plan.primitive_us(|| set.prove(wanted)),
        proof_bytes: VERSION_BYTES + signature_bytes + proof.bytes(),
        verify_us: plan.primitive_us(|| check(&proof.root(wanted))),
        verify_limit_us: primitives.verify_signature_us + hashes_us,
        stored_bytes: n * ELEMENT_BYTES + 2 * n.next_power_of_two() * size_of::<Digest>(),
    })
}
