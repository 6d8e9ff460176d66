//! Forgeries of logs and servers of the frontier schemes, one for each check.
//!
//! Each forgery fails only the check under test, and would be accepted without it. All quotients
//! are polynomials.

use ark_bls12_381::{Fr, G1Affine, g1};
use ark_ec::{AffineRepr as _, CurveGroup as _};
use ark_ff::{AdditiveGroup as _, Field as _, PrimeField as _};
use bls12::point::{self, G1_BYTES};
use pad_accumulators::{internals::polynomial::evaluate, wire};
use pad_core::{DecodeError, VerifyError};
use pad_log::{
    AadFrontier, AasFrontier, AbsenceProof, AppendOnlyProof, Entry, Growth, InclusionProof,
    LogRoot, LookupProof, internals::prefix::scalar_of_prefix,
};

use crate::{
    forger::{
        Polynomial, Tree, absence, bezout, challenge, chunk, coefficients, combined, commit,
        disjoint, disjoint_equations, disjoint_with, divided, honestly_disjoint, lower_frontier,
        member, multiply, next_challenge, pair, path, prefixes, product, step, step_with, sum,
    },
    forgeries::IDENTITY,
    support::{MEMBERS, SIXTEEN, at_size, client_log, key, put, verify},
};

pub(crate) type Set = AasFrontier;
pub(crate) type Dictionary = AadFrontier;

pub(crate) const MISMATCH: VerifyError = VerifyError::EquationMismatch;
pub(crate) const ONE: &[Fr] = &[Fr::ONE];

pub(crate) fn members() -> Tree<Set> {
    Tree::new((0..16).map(|i| member(&format!("member {i}"))).collect())
}

/// Keys `key 0` to `key 15` with the value `value`, except for `others`.
pub(crate) fn pairs(others: &[(usize, Vec<u8>)]) -> Tree<Dictionary> {
    let elements = (0..16).map(|i| pair(&format!("key {i}"), "value", 1));
    let mut elements: Vec<Vec<u8>> = elements.collect();
    for (place, element) in others {
        elements[*place].clone_from(element);
    }
    Tree::new(elements)
}

/// Verifies evidence in several parts that the member `asked` is absent.
pub(crate) fn absent(tree: &Tree<Set>, parts: &[&[u8]], asked: &str) -> Result<(), VerifyError> {
    let proof = tree.look_up(&[], &parts.concat(), &[]);
    verify::<AbsenceProof<Set>>(&proof, &tree.at(), &key(asked)).map(drop)
}

/// Verifies `proof`, and returns the values of the key `key` that the verifier accepts.
pub(crate) fn values(tree: &Tree<Dictionary>, proof: &[u8]) -> Result<Vec<String>, VerifyError> {
    let found = verify::<LookupProof<Dictionary>>(proof, &tree.at(), &key("key"))?.values;
    let texts = found.iter().map(|value| value.as_bytes().to_vec());
    Ok(texts.map(|text| String::from_utf8(text).unwrap()).collect())
}

/// The scalar of a member's whole element, which is a root of its tree.
pub(crate) fn root_of(asked: &str) -> Fr {
    scalar_of_prefix(&member(asked), 256)
}

/// An element of another tree, for a Bézout equation that holds.
pub(crate) fn elsewhere() -> Fr {
    scalar_of_prefix(&member("elsewhere"), 256)
}

/// Verifiers accept any layout of the frontier, so the forger's evidence of a true absence is
/// accepted. No layout makes a present member absent.
#[test]
fn any_layout_of_a_frontier_is_accepted() {
    let tree = members();
    assert_eq!(MEMBERS.digest(16), tree.at().root());
    let asked = member("absent");
    let group = prefixes(&asked, 200..=201);
    let others = prefixes(&asked, 210..=212);
    let roots = [&group[..], &others].concat();
    let whole = product(&roots);
    let proved = honestly_disjoint(&tree, &roots);
    let accepted = |path: &[u8], group: &[Fr]| {
        let claimed = absence(&asked, 201, path, group);
        absent(&tree, &[&proved, &claimed], "absent")
    };
    // The frontier itself is the group.
    assert_eq!(accepted(&[0], &whole), Ok(()));
    let group = product(&group);
    let factors: Vec<Polynomial> = others.iter().map(|root| product(&[*root])).collect();
    let [first, second, third] = &factors[..] else {
        panic!("three")
    };
    let (pair, three) = (
        multiply(first, second),
        multiply(&multiply(first, second), third),
    );
    for (children, index) in [
        (vec![&group[..], &three], 0),
        (vec![&three[..], &group], 1),
        (vec![&pair[..], &group, third], 1),
        (vec![&pair[..], third, &group], 2),
        (vec![&group[..], first, second, third], 0),
        (vec![&first[..], second, third, &group], 3),
    ] {
        let step = step(tree.id(), (&whole, &children), index);
        assert_eq!(accepted(&path(&[step]), &group), Ok(()), "{index}");
    }
    // A path of one repeated node is accepted up to the maximum depth, and refused beyond it.
    let same = step(tree.id(), (&whole, &[ONE, &whole]), 1);
    assert_eq!(accepted(&path(&vec![same.clone(); 32]), &whole), Ok(()));
    let malformed = VerifyError::Undecodable(DecodeError::Malformed);
    assert_eq!(accepted(&path(&vec![same; 33]), &whole), Err(malformed));
}

/// A frontier with a prefix of a present member must be refused. The forgeries use the coefficients
/// of other equations.
#[test]
fn a_frontier_has_no_root_in_common_with_the_committed_tree() {
    let tree = members();
    let (asked, root) = (member("member 3"), root_of("member 3"));
    let frontier = product(&[root]);
    let claimed = absence(&asked, 256, &[0], &frontier);
    let refused = |disjoint: Vec<u8>| {
        let found = absent(&tree, &[&disjoint, &claimed], "member 3");
        assert_eq!(found, Err(MISMATCH));
    };
    // The coefficients of the tree without that member, for the challenge of either tree.
    let other = divided(&tree.polynomial, root);
    let [x, y] = bezout(&other, &[root]);
    refused(disjoint(tree.id(), [&other, &frontier, &x, &y]));
    refused(disjoint(tree.id(), [&tree.polynomial, &frontier, &x, &y]));
    // Arbitrary coefficients.
    let parts = [&tree.polynomial[..], &frontier, ONE, ONE];
    refused(disjoint(tree.id(), parts));
    // The openings of the coefficients hold with this quotient. The equation of the coefficients
    // does not.
    let opened = disjoint(tree.id(), parts);
    let quotient = opened.len() - G1_BYTES;
    refused(put(&opened, quotient, &IDENTITY));
    // One of the values of x and y is false, so that x A + y f = 1 at the challenge.
    let [tree_at, frontier_at] =
        [&tree.polynomial, &frontier].map(|part| move |z: Fr| evaluate(part, z));
    refused(disjoint_with(tree.id(), parts, |z| {
        let y = Fr::ONE;
        [(Fr::ONE - y * frontier_at(z)) / tree_at(z), y]
    }));
    refused(disjoint_with(tree.id(), parts, |z| {
        let x = Fr::ONE;
        [x, (Fr::ONE - x * tree_at(z)) / frontier_at(z)]
    }));
    // The identity as the commitment to the frontier "contains" every prefix.
    let identity = put(&disjoint(tree.id(), parts), 0, &IDENTITY);
    let claimed = absence(&asked, 256, &[0], &[]);
    let found = absent(&tree, &[&identity, &claimed], "member 3");
    let is_identity = VerifyError::Undecodable(DecodeError::PointIsIdentity);
    assert_eq!(found, Err(is_identity));
}

/// A path from a disjoint frontier to a group that is not a factor of it must be refused. The group
/// is at each place of two, three and four children.
#[test]
fn a_group_is_a_factor_of_the_frontier() {
    let tree = members();
    let (asked, group) = (member("member 3"), product(&[root_of("member 3")]));
    let others = prefixes(&member("elsewhere"), 250..=253);
    let whole = product(&others);
    let proved = honestly_disjoint(&tree, &others);
    let refused = |steps: &[Vec<u8>]| {
        let claimed = absence(&asked, 256, &path(steps), &group);
        let found = absent(&tree, &[&proved, &claimed], "member 3");
        assert_eq!(found, Err(MISMATCH));
    };
    let factors: Vec<Polynomial> = others.iter().map(|root| product(&[*root])).collect();
    for count in 2..=4 {
        for index in 0..count {
            let mut children: Vec<&[Fr]> = factors[..count].iter().map(Vec::as_slice).collect();
            children[index] = &group;
            let at = |z: Fr| children.iter().map(move |child| evaluate(child, z));
            // The values are true and the product is wrong. The quotient is that of all equations,
            // or of all but the product.
            for without in [None, Some(count - 1)] {
                let last = count - 1;
                let step = step_with(tree.id(), (&whole, &children), (index, without), |z| {
                    at(z).take(last).collect()
                });
                refused(&[step]);
            }
            // One value is false, so that the product is right at the challenge.
            for false_one in 0..count - 1 {
                let place = (index, Some(false_one));
                let step = step_with(tree.id(), (&whole, &children), place, |z| {
                    let mut values: Vec<Fr> = at(z).collect();
                    values[false_one] = Fr::ONE;
                    let rest: Fr = values.iter().product();
                    values[false_one] = evaluate(&whole, z) / rest;
                    values.truncate(count - 1);
                    values
                });
                refused(&[step]);
            }
        }
    }
    // Two steps, of which the second or the first does not hold.
    let last = &factors[3];
    let rest = product(&others[..3]);
    let good = step(tree.id(), (&whole, &[&rest, last]), 1);
    let bad = step(tree.id(), (last, &[ONE, &group]), 1);
    refused(&[good, bad]);
    let two = multiply(last, &group);
    let bad = step(tree.id(), (&whole, &[ONE, &two]), 1);
    let good = step(tree.id(), (&two, &[last, &group]), 1);
    refused(&[bad, good]);
    // The group is not the one that the path leads to.
    refused(&[]);
}

/// The empty prefix, and strings longer than a key half. Both kinds leave a tree with the key, and
/// all other checks hold.
#[test]
fn prefixes_are_of_the_asked_key_half() {
    let tree = members();
    let refused = Err(VerifyError::PrefixLength);
    let empty = scalar_of_prefix(&[], 0);
    let proved = honestly_disjoint(&tree, &[empty]);
    let claimed = absence(&member("member 3"), 0, &[0], &product(&[empty]));
    assert_eq!(absent(&tree, &[&proved, &claimed], "member 3"), refused);

    // The value half begins with a set bit. The key half padded with zeros therefore leaves the
    // tree.
    let value = (0..9)
        .map(|value| value.to_string())
        .find(|value| pair("key", value, 1)[32] & 0x80 != 0)
        .unwrap();
    let tree = pairs(&[(3, pair("key", &value, 1))]);
    let mut beginning = pair("key", &value, 1);
    beginning[32..].fill(0);
    for length in [257_u16, 258, 264, 512] {
        let root = scalar_of_prefix(&beginning, length);
        let proved = honestly_disjoint(&tree, &[root]);
        let group = divided(&product(&[root]), root);
        let parts = [&length.to_be_bytes()[..], &[0], &commit(&group)];
        let forged = tree.look_up(&[], &[&proved[..], &parts.concat()].concat(), &[]);
        let result = values(&tree, &forged);
        assert_eq!(result, Err(VerifyError::PrefixLength), "{length}");
    }

    // Evidence of one key's absence is none for another key.
    let tree = members();
    let asked = member("absent");
    let root = scalar_of_prefix(&asked, 256);
    let proved = honestly_disjoint(&tree, &[root]);
    let evidence: [&[u8]; 2] = [&proved, &absence(&asked, 256, &[0], &product(&[root]))];
    assert_eq!(absent(&tree, &evidence, "absent"), Ok(()));
    assert_eq!(absent(&tree, &evidence, "member 3"), Err(MISMATCH));
}

/// Returns evidence of present values: a proof that the tree is disjoint from the frontier `roots`,
/// and `chunks` of this frontier. All roots are in one group.
pub(crate) fn presence(tree: &Tree<Dictionary>, roots: &[Fr], chunks: &[&[Fr]]) -> Vec<u8> {
    let mut evidence = honestly_disjoint(tree, roots);
    evidence.extend(shown_chunks(tree, roots, chunks));
    evidence
}

/// Returns the part of [`presence`] after the proof of disjointness.
fn shown_chunks(tree: &Tree<Dictionary>, roots: &[Fr], chunks: &[&[Fr]]) -> Vec<u8> {
    let group = product(roots);
    let mut evidence = Vec::new();
    for scalars in chunks {
        let others = roots.iter().copied().filter(|root| !scalars.contains(root));
        let others: Vec<Fr> = others.collect();
        let rest = if others.is_empty() {
            vec![Fr::ONE]
        } else {
            product(&others)
        };
        evidence.extend(chunk(tree.id(), scalars, &[0], (&group, &rest)));
    }
    evidence
}

/// Elements of the key `key`, and a tree with them in its first block. The element `hidden` is in
/// its second block.
pub(crate) fn several(count: usize, hidden: Vec<u8>) -> (Vec<Vec<u8>>, Tree<Dictionary>) {
    let shown = (0..count).map(|i| pair("key", &format!("{i}"), 1));
    let shown: Vec<Vec<u8>> = shown.collect();
    let mut places: Vec<(usize, Vec<u8>)> = shown.iter().cloned().enumerate().collect();
    places.push((12, hidden));
    (shown, pairs(&places))
}

const NAMES: [&str; 3] = ["0", "1", "2"];

/// Answers that hide a value in the other block must be refused. The cases are one of two values,
/// one of four, the second occurrence of a pair, and a third occurrence without a second.
#[test]
fn chunks_hide_no_value() {
    for (count, hidden) in [
        (1, pair("key", "hidden", 1)),
        (1, pair("key", "0", 2)),
        (1, pair("key", "0", 3)),
        (3, pair("key", "hidden", 1)),
    ] {
        let (shown, tree) = several(count, hidden.clone());
        let strings = lower_frontier(&shown);
        let chunks: Vec<&[Fr]> = strings.chunks(512).collect();
        // The frontier has all strings except the prefix of the hidden element. The chunk with that
        // prefix divides no group, so its division leaves a remainder.
        let hidden = prefixes(&hidden, 257..=512);
        let without = strings.iter().copied();
        let without: Vec<Fr> = without.filter(|string| !hidden.contains(string)).collect();
        assert_eq!(without.len() + 1, strings.len());
        let forged = presence(&tree, &without, &chunks);
        let forged = tree.look_up(&[0], &forged, &NAMES[..count]);
        assert_eq!(values(&tree, &forged), Err(MISMATCH));
    }
    // A chunk of strings that are not those of the value shown: the first ones of both values.
    let (shown, tree) = several(1, pair("key", "hidden", 1));
    let both = lower_frontier(&[&shown[..], &[pair("key", "hidden", 1)]].concat());
    let forged = presence(&tree, &both, &[&both[..256]]);
    let forged = tree.look_up(&[0], &forged, &["0"]);
    assert_eq!(values(&tree, &forged), Err(MISMATCH));
    // Evidence of the only value of another log.
    let honest = pairs(&[(0, shown[0].clone())]);
    let strings = lower_frontier(&shown);
    let evidence = presence(&honest, &strings, &[&strings]);
    let answer = honest.look_up(&[0], &evidence, &["0"]);
    assert_eq!(values(&honest, &answer), Ok(vec!["0".to_owned()]));
    let forged = tree.look_up(&[0], &evidence, &["0"]);
    assert_eq!(values(&tree, &forged), Err(MISMATCH));
}

/// An answer must show each chunk of 512 strings, in order.
#[test]
fn every_chunk_is_shown_in_order() {
    let shown: Vec<Vec<u8>> = (0..3).map(|i| pair("key", &format!("{i}"), 1)).collect();
    let tree = pairs(&shown.iter().cloned().enumerate().collect::<Vec<_>>());
    let strings = lower_frontier(&shown);
    assert!((513..1024).contains(&strings.len()));
    let (first, second) = strings.split_at(512);
    let proved = honestly_disjoint(&tree, &strings);
    let answer = |chunks: &[&[Fr]]| {
        let evidence = [&proved[..], &shown_chunks(&tree, &strings, chunks)].concat();
        values(&tree, &tree.look_up(&[0], &evidence, &NAMES))
    };
    let found = answer(&[first, second]);
    assert_eq!(found, Ok(NAMES.map(String::from).to_vec()));
    for chunks in [
        [first, first],
        [second, first],
        [&strings[..511], &strings[511..]],
    ] {
        assert_eq!(answer(&chunks), Err(MISMATCH));
    }
    // The last chunk is missing, or there is one too many.
    assert!(answer(&[first]).is_err());
    assert!(answer(&[first, second, second]).is_err());
    // The last chunk does not divide its group, because it has a prefix of a value in the other
    // block.
    let hidden = (0..99)
        .map(|i| pair("key", &format!("other {i}"), 1))
        .find(|other| {
            prefixes(other, 257..=512)
                .iter()
                .any(|string| second.contains(string))
        });
    let (shown, tree) = several(3, hidden.clone().unwrap());
    let hidden = prefixes(&hidden.unwrap(), 257..=512);
    let without = strings.iter().copied();
    let without = without.filter(|string| !hidden.contains(string));
    let evidence = presence(&tree, &without.collect::<Vec<Fr>>(), &[first, second]);
    assert_eq!(lower_frontier(&shown), strings);
    let forged = tree.look_up(&[0], &evidence, &NAMES);
    assert_eq!(values(&tree, &forged), Err(MISMATCH));
}

/// One element at two places. An answer may show either place, but not both.
#[test]
fn an_element_at_two_places_is_one_value() {
    let twice = pair("key", "0", 1);
    let tree = pairs(&[(0, twice.clone()), (12, twice.clone())]);
    let strings = lower_frontier(&[twice]);
    let evidence = presence(&tree, &strings, &[&strings]);
    for block in [0, 1] {
        let answer = tree.look_up(&[block], &evidence, &["0"]);
        assert_eq!(values(&tree, &answer), Ok(vec!["0".to_owned()]));
    }
    let mismatch = Err(VerifyError::ValueMismatch);
    let refused = values(&tree, &tree.look_up(&[0, 1], &evidence, &["0", "0"]));
    assert_eq!(refused, mismatch);
    // No answer is accepted for occurrences that are not 1 and 2 in order.
    for (first, second) in [(1, 3), (2, 1), (0, 1), (2, 3)] {
        let both = [pair("key", "0", first), pair("key", "0", second)];
        let tree = pairs(&[(0, both[0].clone()), (12, both[1].clone())]);
        let strings = lower_frontier(&both);
        let evidence = presence(&tree, &strings, &[&strings]);
        let refused = values(&tree, &tree.look_up(&[0, 1], &evidence, &["0", "0"]));
        assert_eq!(refused, mismatch);
    }
}

#[test]
fn shown_blocks_and_values_are_the_keys() {
    let shown = [pair("key", "0", 1), pair("key", "1", 1)];
    let tree = pairs(&[(0, shown[0].clone()), (12, shown[1].clone())]);
    let strings = lower_frontier(&shown);
    let evidence = presence(&tree, &strings, &[&strings]);
    let answer = tree.look_up(&[0, 1], &evidence, &["0", "1"]);
    let found = values(&tree, &answer);
    assert_eq!(found, Ok(vec!["0".to_owned(), "1".to_owned()]));
    // A value is withheld, added, changed, or out of order.
    let refused = |texts: &[&str]| values(&tree, &tree.look_up(&[0, 1], &evidence, texts));
    for texts in [&["0"][..], &["0", "1", "1"], &[]] {
        assert_eq!(refused(texts), Err(VerifyError::CountMismatch));
    }
    for texts in [["0", "2"], ["1", "0"]] {
        assert_eq!(refused(&texts), Err(VerifyError::ValueMismatch));
    }
    // Numbers of blocks.
    let blocks = 8 + 8 + 4;
    for numbers in [[0, 0], [1, 0], [0, 2], [0, u32::MAX]] {
        let forged = put(&answer, blocks, &numbers.map(u32::to_be_bytes).concat());
        assert_eq!(values(&tree, &forged), Err(VerifyError::UnorderedLeaves));
    }
    // A block without the key is shown in addition. All other checks hold.
    let tree = pairs(&[(0, shown[0].clone())]);
    let strings = lower_frontier(&shown[..1]);
    let evidence = presence(&tree, &strings, &[&strings]);
    assert!(values(&tree, &tree.look_up(&[0], &evidence, &["0"])).is_ok());
    let forged = tree.look_up(&[0, 1], &evidence, &["0"]);
    assert_eq!(values(&tree, &forged), Err(VerifyError::Extraneous));
}

/// A set proves no absence of a member that it shows, in a tree, in a block, or in the tail.
#[test]
fn a_member_that_is_shown_is_not_absent() {
    let tree = members();
    let proved = honestly_disjoint(&tree, &[elsewhere()]);
    let forged = tree.look_up(&[0], &proved, &[]);
    let present = Err(VerifyError::ElementPresent);
    let asked = key("member 3");
    let found = verify::<AbsenceProof<Set>>(&forged, &tree.at(), &asked).map(drop);
    assert_eq!(found, present);
    for size in [8, 7] {
        let forged = wire::encode(&MEMBERS.prove_absence(size, b"absent").unwrap().unwrap());
        let root = at_size(&MEMBERS, size);
        let found = verify::<AbsenceProof<Set>>(&forged, &root, &asked).map(drop);
        assert_eq!(found, present);
    }
}

/// A root leaves out a member, so its absence is accepted. Its inclusion must be refused, and
/// growth from a version that showed it too.
#[test]
fn what_is_included_is_in_the_accumulators_that_absence_is_about() {
    let mut tree = members();
    let (asked, root) = (member("member 3"), root_of("member 3"));
    let included = Entry::member(key("member 3"));
    let inclusion = |tree: &Tree<Set>| {
        let proof = tree.inclusion(3, 0);
        verify::<InclusionProof<Set>>(&proof, &tree.at(), &included).map(drop)
    };
    assert_eq!(inclusion(&tree), Ok(()));
    let growth = |tree: &Tree<Set>| {
        let proof = wire::encode(&MEMBERS.prove_append_only(8, 16));
        let proof = put(&proof, 24, &tree.accumulator());
        let growth = Growth::new(at_size(&MEMBERS, 0), tree.at());
        assert!(growth.is_ok());
        let old: LogRoot<Set> = crate::support::at(&client_log(&tree.log), 1, MEMBERS.digest(8));
        let growth = Growth::new(old, tree.at()).unwrap();
        verify::<AppendOnlyProof<Set>>(&proof, &growth, &()).map(drop)
    };
    assert_eq!(growth(&tree), Ok(()));
    // The member is left out above the blocks only.
    tree.polynomial = divided(&tree.polynomial, root);
    let proved = honestly_disjoint(&tree, &[root]);
    let evidence: [&[u8]; 2] = [&proved, &absence(&asked, 256, &[0], &product(&[root]))];
    assert_eq!(absent(&tree, &evidence, "member 3"), Ok(()));
    assert_eq!(inclusion(&tree), Err(MISMATCH));
    assert_eq!(growth(&tree), Err(MISMATCH));
    // The member is left out in its block too.
    tree.blocks[0] = divided(&tree.blocks[0], root);
    assert_eq!(absent(&tree, &evidence, "member 3"), Ok(()));
    assert_eq!(inclusion(&tree), Err(MISMATCH));
}

/// Puts the identity, and a point outside the subgroup, at the place of each point in the evidence.
#[test]
fn points_of_frontiers_are_in_the_subgroup_and_not_the_identity() {
    let [one, _] = &*SIXTEEN;
    // A point of small order, which pairings ignore. Without the check, adding it gives a second
    // encoding of a point.
    let strays = (1_u64..100).filter_map(|x| G1Affine::get_point_from_x_unchecked(x.into(), false));
    let small = strays
        .map(|stray| stray.mul_bigint(Fr::MODULUS).into_affine())
        .find(|small| !small.is_zero())
        .unwrap();
    for (asked, start) in [("absent", 100), ("key 3", 840)] {
        let proof = wire::encode(&one.prove_values(16, asked.as_bytes()).unwrap());
        let root = at_size(one, 16);
        let refused = |at: usize, bytes: &[u8; G1_BYTES]| {
            let forged = put(&proof, at, bytes);
            verify::<LookupProof<Dictionary>>(&forged, &root, &key(asked)).unwrap_err()
        };
        let depth = start + 256 + if asked == "absent" { 2 } else { 0 };
        assert!(proof[depth] > 0);
        let children = usize::from(proof[depth + 1]);
        let mut accumulators = vec![start, start + 48, start + 96];
        accumulators.extend((0..children).map(|child| depth + 3 + 48 * child));
        let values = if asked == "absent" { 4 } else { 4 + 4 + 5 };
        let last = proof.len() - values - G1_BYTES;
        if asked != "absent" {
            accumulators.push(last - G1_BYTES);
        }
        let after = depth + 3 + 48 * children + 32 * (children - 1);
        let quotients = [start + 208, after, last];
        let undecodable = VerifyError::Undecodable;
        for at in &accumulators {
            let expected = undecodable(DecodeError::PointIsIdentity);
            assert_eq!(refused(*at, &IDENTITY), expected, "{asked} {at}");
        }
        for at in quotients {
            assert_eq!(refused(at, &IDENTITY), MISMATCH, "{asked} {at}");
        }
        for at in quotients.iter().chain(&accumulators) {
            let bytes: [u8; G1_BYTES] = proof[*at..*at + G1_BYTES].try_into().unwrap();
            let point = point::decode::<g1::Config, G1_BYTES>(&bytes).unwrap();
            let other = point::encode::<g1::Config, G1_BYTES>(&(point + small).into_affine());
            let expected = undecodable(DecodeError::PointOutsideSubgroup);
            assert_eq!(refused(*at, &other), expected, "{asked} {at}");
        }
    }
}

/// A false absence with its error moved into the quotients of two claims. The errors cancel under
/// coefficients that are known in advance. These are drawn without the message, or from the message
/// before the quotients were changed.
#[test]
fn errors_of_claims_about_frontiers_do_not_cancel() {
    let tree = members();
    let root = root_of("member 3");
    let others = [elsewhere()];
    let group = product(&others);
    let proved = honestly_disjoint(&tree, &others);
    let at = tree.at();
    let multiples = bezout(&tree.polynomial, &others);
    let parts = [&tree.polynomial, &group, &multiples[0], &multiples[1]];
    let parts = parts.map(Vec::as_slice);
    let points = parts.map(commit);
    let points = points.each_ref().map(<[u8; G1_BYTES]>::as_slice);
    let (mut transcript, z) = challenge(tree.id(), "aad: disjoint", &points);
    let opened = [&parts[2], &parts[3]].map(|part| evaluate(part, z));
    let g = next_challenge(&mut transcript, &opened);
    let claim = combined(&disjoint_equations(parts, opened), g, None);
    // A constant is added to each quotient. The first claim is then wrong by k (X - z), the second
    // by group(root) and m (X - root).
    let error = evaluate(&group, root);
    let forged = |[k, m]: [Fr; 2]| {
        let first = sum(&[(Fr::ONE, &divided(&claim, z)), (k, ONE)]);
        let second = sum(&[(Fr::ONE, &divided(&group, root)), (m, ONE)]);
        let mut evidence = put(&proved, proved.len() - G1_BYTES, &commit(&first));
        evidence.extend(256_u16.to_be_bytes());
        evidence.push(0);
        evidence.extend(commit(&second));
        evidence
    };
    let drawn = |body| coefficients(tree.id(), &at, b"member 3", body);
    let before = tree.look_up(&[], &forged([Fr::ZERO; 2]), &[]);
    for [first, second] in [drawn(None), drawn(Some(&before[8..]))] {
        // first k + second m = 0, and second error + first k z + second m root = 0.
        let k = -(second * error) / (first * (z - root));
        let m = -(first * k) / second;
        let found = absent(&tree, &[&forged([k, m])], "member 3");
        assert_eq!(found, Err(MISMATCH));
    }
    // The honest absence of another member is accepted.
    let claimed = absence(&member("elsewhere"), 256, &[0], &group);
    let evidence: [&[u8]; 2] = [&proved, &claimed];
    assert_eq!(absent(&tree, &evidence, "elsewhere"), Ok(()));
    assert_eq!(absent(&tree, &evidence, "member 3"), Err(MISMATCH));
}
