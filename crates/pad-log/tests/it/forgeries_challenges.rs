//! Challenges about frontiers. A challenge must cover all parts of its claim, or an attacker could
//! choose a part after the challenge.

use ark_bls12_381::Fr;
use ark_ff::Field as _;
use pad_accumulators::{internals::polynomial::evaluate, wire};
use pad_log::{Entry, InclusionProof, LookupProof};

use crate::{
    forger::{
        Tree, absence, bezout, challenge, chunk_at, commit, disjoint, disjoint_at,
        honestly_disjoint, lower_frontier, member, next_challenge, pair, path, product, step,
        step_at, sum,
    },
    forgeries_frontier::{
        Dictionary, MISMATCH, ONE, Set, absent, elsewhere, members, pairs, root_of, several, values,
    },
    support::{SIXTEEN, at_size, key, put, verify},
};

/// Leaves each part out of each challenge about disjointness in turn, and chooses the part after
/// the challenge.
#[test]
fn challenges_of_disjointness_cover_every_part() {
    let mut tree = members();
    let (asked, root) = (member("member 3"), root_of("member 3"));
    let id = tree.id();
    let claimed = |frontier: &[Fr]| absence(&asked, 256, &[0], frontier);
    let refused = |tree: &Tree<Set>, disjoint: Vec<u8>, frontier: &[Fr]| {
        let found = absent(tree, &[&disjoint, &claimed(frontier)], "member 3");
        assert_eq!(found, Err(MISMATCH));
    };
    let name = "aad: disjoint";
    let frontier = product(&[root]);
    let (tree_point, point, one) = (tree.accumulator(), commit(&frontier), commit(ONE));
    let at = |part: &[Fr], z: Fr| evaluate(part, z);
    // X: a constant.
    let (mut transcript, z) = challenge(id, name, &[&tree_point, &point, &one]);
    let x = (Fr::ONE - at(&frontier, z)) / at(&tree.polynomial, z);
    let g = next_challenge(&mut transcript, &[x, Fr::ONE]);
    let parts = [&tree.polynomial[..], &frontier, &[x], ONE];
    refused(&tree, disjoint_at(parts, (z, g), [x, Fr::ONE]), &frontier);
    // Y: a constant.
    let y = (Fr::ONE - at(&tree.polynomial, z)) / at(&frontier, z);
    let (mut transcript, _) = challenge(id, name, &[&tree_point, &point, &one]);
    let g = next_challenge(&mut transcript, &[Fr::ONE, y]);
    let parts = [&tree.polynomial[..], &frontier, ONE, &[y]];
    refused(&tree, disjoint_at(parts, (z, g), [Fr::ONE, y]), &frontier);
    // F: a multiple.
    let (mut transcript, z) = challenge(id, name, &[&tree_point, &one, &one]);
    let factor = (Fr::ONE - at(&tree.polynomial, z)) / at(&frontier, z);
    let multiple = sum(&[(factor, &frontier)]);
    let g = next_challenge(&mut transcript, &[Fr::ONE; 2]);
    let parts = [&tree.polynomial[..], &multiple, ONE, ONE];
    refused(&tree, disjoint_at(parts, (z, g), [Fr::ONE; 2]), &multiple);
    // The values, which the second challenge covers.
    let (mut transcript, z) = challenge(id, name, &[&tree_point, &point, &one, &one]);
    let solve = |g: Fr, y: Fr| {
        let square = g.square();
        let rest = Fr::ONE + g * (Fr::ONE - y) + square * (y * at(&frontier, z) - Fr::ONE);
        rest / (Fr::ONE - square * at(&tree.polynomial, z))
    };
    let parts = [&tree.polynomial[..], &frontier, ONE, ONE];
    let y = Fr::from(7_u64);
    for known in [&[][..], &[y]] {
        let g = next_challenge(&mut transcript.clone(), known);
        let forged = disjoint_at(parts, (z, g), [solve(g, y), y]);
        refused(&tree, forged, &frontier);
    }
    let x = Fr::from(5_u64);
    let g = next_challenge(&mut transcript, &[x]);
    let square = g.square();
    let rest = Fr::ONE - x + g + square * (x * at(&tree.polynomial, z) - Fr::ONE);
    let y = rest / (g - square * at(&frontier, z));
    refused(&tree, disjoint_at(parts, (z, g), [x, y]), &frontier);
    // The tree's accumulator. That of the second block is a constant, because no check opens it.
    let (mut transcript, z) = challenge(id, name, &[&point, &one, &one]);
    let constant = (Fr::ONE - at(&frontier, z)) / at(&tree.blocks[0], z);
    tree.blocks[1] = vec![constant];
    tree.polynomial = sum(&[(constant, &tree.blocks[0])]);
    let included = Entry::member(key("member 3"));
    let proof = tree.inclusion(3, 0);
    assert!(verify::<InclusionProof<Set>>(&proof, &tree.at(), &included).is_ok());
    let g = next_challenge(&mut transcript, &[Fr::ONE; 2]);
    let parts = [&tree.polynomial[..], &frontier, ONE, ONE];
    refused(&tree, disjoint_at(parts, (z, g), [Fr::ONE; 2]), &frontier);
}

/// The challenges of a path must cover every part of it. Each forgery would verify if the challenge
/// left out one part.
#[test]
fn challenges_of_paths_cover_every_part() {
    let tree = members();
    let asked = member("member 3");
    let id = tree.id();
    let name = "aad: frontier product";
    let others = [elsewhere()];
    let whole = product(&others);
    let proved = honestly_disjoint(&tree, &others);
    let refused = |proved: &[u8], step: Vec<u8>, group: &[Fr]| {
        let claimed = absence(&asked, 256, &path(&[step]), group);
        let found = absent(&tree, &[proved, &claimed], "member 3");
        assert_eq!(found, Err(MISMATCH));
    };
    let group = product(&[root_of("member 3")]);
    let (group_point, one, parent) = (commit(&group), commit(ONE), commit(&whole));
    for count in 2..=4 {
        for index in 0..count {
            // A child: a multiple of the false group.
            let mut points: Vec<&[u8]> = vec![&one; count - 1];
            points.push(&parent);
            let (mut transcript, z) = challenge(id, name, &points);
            let factor = evaluate(&whole, z) / evaluate(&group, z);
            let multiple = sum(&[(factor, &group)]);
            let mut children = vec![ONE; count];
            children[index] = &multiple;
            let mut values: Vec<Fr> = children.iter().map(|child| evaluate(child, z)).collect();
            values.truncate(count - 1);
            let g = next_challenge(&mut transcript, &values);
            let forged = step_at((&whole, &children), (index, None), (z, g), &values);
            refused(&proved, forged, &multiple);
        }
    }
    // The parent: a multiple of a disjoint frontier.
    let (mut transcript, z) = challenge(id, name, &[&one, &group_point]);
    let factor = evaluate(&group, z) / evaluate(&whole, z);
    let multiple = sum(&[(factor, &whole)]);
    let [x, y] = bezout(&tree.polynomial, &others);
    let y = sum(&[(factor.inverse().unwrap(), &y)]);
    let multiple_proved = disjoint(id, [&tree.polynomial, &multiple, &x, &y]);
    let g = next_challenge(&mut transcript, &[Fr::ONE]);
    let forged = step_at((&multiple, &[ONE, &group]), (1, None), (z, g), &[Fr::ONE]);
    refused(&multiple_proved, forged, &group);
    // A value, which the second challenge covers: the first or the last one sent.
    let (transcript, z) = challenge(id, name, &[&one, &one, &group_point, &parent]);
    let (parent_at, group_at) = (evaluate(&whole, z), evaluate(&group, z));
    let second = Fr::from(3_u64);
    for (left_out, known) in [(0, &[second][..]), (1, &[second]), (0, &[])] {
        let g = next_challenge(&mut transcript.clone(), known);
        let square = g.square();
        let solved = if left_out == 0 {
            // (1 - v) + g (1 - second) + g^2 (parent - v second group) = 0
            (Fr::ONE + g * (Fr::ONE - second) + square * parent_at)
                / (Fr::ONE + square * second * group_at)
        } else {
            (Fr::ONE - second + g + square * parent_at) / (g + square * second * group_at)
        };
        let mut values = [second; 2];
        values[left_out] = solved;
        let forged = step_at((&whole, &[ONE, ONE, &group]), (2, None), (z, g), &values);
        refused(&proved, forged, &group);
    }
}

/// Leaves each part out of the challenges of chunks. The strings of a chunk follow from the values
/// and cannot be chosen.
#[test]
fn challenges_of_chunks_cover_every_part() {
    let (shown, tree) = several(1, pair("key", "hidden", 1));
    let id = tree.id();
    let strings = lower_frontier(&shown);
    let encoded: Vec<u8> = strings.iter().flat_map(bls12::scalar::encode).collect();
    let at = |z: Fr| -> Fr { strings.iter().map(|string| z - string).product() };
    let others = [elsewhere()];
    let whole = product(&others);
    let proved = honestly_disjoint(&tree, &others);
    let refused = |chunk: Vec<u8>| {
        let forged = tree.look_up(&[0], &[&proved[..], &chunk].concat(), &["0"]);
        assert_eq!(values(&tree, &forged), Err(MISMATCH));
    };
    // Q: a constant.
    let (_, z) = challenge(id, "aad: chunk", &[&commit(&whole), &encoded]);
    let rest = [evaluate(&whole, z) / at(z)];
    refused(chunk_at(&strings, &[0], (&whole, &rest), z));
    // The group: a constant, which divides every frontier.
    let (_, z) = challenge(id, "aad: chunk", &[&commit(ONE), &encoded]);
    let constant = [at(z)];
    let other = sum(&[(at(z).inverse().unwrap(), &whole)]);
    let step = step(id, (&whole, &[&constant, &other]), 0);
    refused(chunk_at(&strings, &path(&[step]), (&constant, ONE), z));
    // The strings: under a challenge without them, even true evidence is refused.
    let honest = pairs(&[(0, shown[0].clone())]);
    let group = product(&strings);
    let (_, z) = challenge(id, "aad: chunk", &[&commit(&group), &commit(ONE)]);
    let mut evidence = honestly_disjoint(&honest, &strings);
    evidence.extend(chunk_at(&strings, &[0], (&group, ONE), z));
    let answer = honest.look_up(&[0], &evidence, &["0"]);
    assert_eq!(values(&honest, &answer), Err(MISMATCH));
}

/// Evidence of a log with equal contents but another id must be refused.
#[test]
fn challenges_about_frontiers_depend_on_the_log() {
    let [one, other] = &*SIXTEEN;
    // Up to each part of the evidence: disjointness, path, chunk or prefix.
    for asked in ["absent", "key 3"] {
        let [proof, foreign] =
            [one, other].map(|log| wire::encode(&log.prove_values(16, asked.as_bytes()).unwrap()));
        let check = |bytes: &[u8]| {
            verify::<LookupProof<Dictionary>>(bytes, &at_size(one, 16), &key(asked)).map(drop)
        };
        assert_eq!(check(&proof), Ok(()));
        let start = if asked == "absent" { 100 } else { 840 };
        for (from, to) in [(start, start + 256), (start + 256, proof.len())] {
            let forged = put(&proof, from, &foreign[from..to]);
            assert_eq!(check(&forged), Err(MISMATCH), "{from}");
        }
    }
}
