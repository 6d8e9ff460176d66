use std::iter::successors;

use pad_core::Workers;

use super::*;
use crate::author::steps::run_to_end;

fn scalars(seed: u64) -> impl Iterator<Item = Fr> {
    successors(Some(Fr::from(seed)), |last| {
        Some(last.square() + Fr::from(11_u64))
    })
}

fn tree_of(roots: &[Fr]) -> Vec<Fr> {
    let negated: Vec<Fr> = roots.iter().map(|root| -*root).collect();
    polynomial::product(&negated, &Workers::sequential())
}

fn solve(tree: &[Fr], groups: &[Vec<Fr>]) -> Result<[Vec<Fr>; 2], AccumulateError> {
    let row = groups.iter().map(|roots| tree_of(roots)).collect();
    let transform = Transform::for_degree(2 * tree.len());
    let pace = Pace::at_once(Workers::sequential());
    let rows = run_to_end(products(row, &transform, &pace));
    run_to_end(bezout(tree, (groups, &rows), &transform, &pace))
}

/// Groups of these sizes.
fn groups(sizes: &[usize]) -> Vec<Vec<Fr>> {
    let mut roots = scalars(3);
    sizes
        .iter()
        .map(|size| roots.by_ref().take(*size).collect())
        .collect()
}

#[test]
fn the_equation_holds_for_groups_of_any_sizes() {
    for sizes in [
        &[1][..],
        &[1, 1],
        &[7],
        &[100],
        &[1, 100, 1],
        &[64, 64, 64, 64],
        &[90, 3, 70, 1, 33],
        &[5; 17],
    ] {
        let groups = groups(sizes);
        let tree = tree_of(&scalars(1_000).take(300).collect::<Vec<Fr>>());
        let [x, y] = solve(&tree, &groups).unwrap();
        let at = |polynomial: &[Fr], point| polynomial::evaluate(polynomial, point);
        for point in scalars(77).take(3) {
            let frontier: Fr = groups.concat().iter().map(|root| point - root).product();
            let sum = at(&x, point) * at(&tree, point) + at(&y, point) * frontier;
            assert_eq!(sum, Fr::ONE, "{sizes:?}");
        }
        let degree: usize = sizes.iter().sum();
        assert!(x.len() <= degree && y.len() < tree.len());
    }
}

/// Colliding hashes must give an error, not a panic.
#[test]
fn equal_roots_are_refused() {
    let of_tree: Vec<Fr> = scalars(1_000).take(300).collect();
    let tree = tree_of(&of_tree);
    let refused = Some(AccumulateError::ElementNotAllowed);
    for sizes in [&[2][..], &[90, 3, 70, 1, 33]] {
        let last = sizes.len() - 1;
        // Twice in one group, in two groups, in the tree too.
        let mut same = groups(sizes);
        same[0][1] = same[0][0];
        assert_eq!(solve(&tree, &same).err(), refused);
        let mut same = groups(sizes);
        let first = same[0][0];
        if last > 0 {
            same[last][5] = first;
            assert_eq!(solve(&tree, &same).err(), refused);
        }
        for at in [0, 299] {
            let mut shared = groups(sizes);
            shared[last][1] = of_tree[at];
            assert_eq!(solve(&tree, &shared).err(), refused);
        }
    }
}
