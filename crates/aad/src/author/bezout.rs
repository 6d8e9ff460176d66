//! The equation of Bézout: `x A + y f = 1` for a polynomial `f` that is given by its roots.
//!
//! No half-gcd is needed, as the products of the roots of `f` are at hand: with `c_i = 1 / (A(z_i) f'(z_i))` over the roots `z_i`,
//! `x` is the sum of `c_i f / (X - z_i)`, and `y` the exact quotient of `1 - x A` by `f`.
//!
//! Source: von zur Gathen, Gerhard 2013, "Modern Computer Algebra", sections 10.1 to 10.3 (remainder trees, interpolation).

use accumulators::{
    AccumulateError,
    bilinear::polynomial::{self, Transform, divide, multiply},
};
use ark_bls12_381::Fr;
use ark_ff::{AdditiveGroup, Field, Zero};
use pad_core::Workers;

/// A tree of products: rows from single groups to the root. Each node is the product of up to four below it.
pub(super) type Rows = Vec<Vec<Vec<Fr>>>;

/// Nodes that are joined into one.
pub(super) const ARITY: usize = 4;

/// The products over groups of roots.
pub(super) fn products(groups: &[Vec<Fr>], transform: &Transform, workers: &Workers) -> Rows {
    let sequential = Workers::sequential();
    let mut row: Vec<Vec<Fr>> = workers.map(groups, |roots| {
        let negated: Vec<Fr> = roots.iter().map(|root| -*root).collect();
        polynomial::product(&negated, &sequential)
    });
    let mut rows = Rows::new();
    while row.len() > 1 {
        let parts: Vec<&[Vec<Fr>]> = row.chunks(ARITY).collect();
        let next = workers.map(&parts, |part| product(part, transform));
        rows.push(row);
        row = next;
    }
    rows.push(row);
    rows
}

fn product(factors: &[Vec<Fr>], transform: &Transform) -> Vec<Fr> {
    match factors {
        [] => vec![Fr::ONE],
        [one] => one.clone(),
        _ => {
            let (left, right) = factors.split_at(factors.len() / 2);
            multiply(
                &product(left, transform),
                &product(right, transform),
                transform,
            )
        }
    }
}

/// `x` and `y`.
///
/// # Errors
/// [`AccumulateError::ElementNotAllowed`] if a root of `f` is one of `A`, or two are equal: hashes have collided.
pub(super) fn bezout(
    tree: &[Fr],
    (groups, rows): (&[Vec<Fr>], &Rows),
    transform: &Transform,
    workers: &Workers,
) -> Result<[Vec<Fr>; 2], AccumulateError> {
    let collision = AccumulateError::ElementNotAllowed;
    let frontier = rows.last().and_then(|row| row.first()).ok_or(collision)?;
    let (_, remainder) = divide(tree, frontier, transform).ok_or(collision)?;
    let product = multiply(&remainder, &derivative(frontier), transform);
    let (_, remainder) = divide(&product, frontier, transform).ok_or(collision)?;
    let values = values_at((groups, rows), remainder, transform, workers).ok_or(collision)?;
    if values.iter().flatten().any(Zero::is_zero) {
        return Err(collision);
    }
    let x = interpolate((groups, rows), values, transform, workers);
    let mut numerator: Vec<Fr> = multiply(&x, tree, transform)
        .iter()
        .map(|part| -*part)
        .collect();
    numerator[0] += Fr::ONE;
    let (y, remainder) = divide(&numerator, frontier, transform).ok_or(collision)?;
    debug_assert!(remainder.iter().all(Zero::is_zero), "f divides 1 - x A");
    Ok([x, y])
}

fn derivative(polynomial: &[Fr]) -> Vec<Fr> {
    let numbered = (1_u64..).zip(polynomial.iter().skip(1));
    numbered
        .map(|(power, coefficient)| Fr::from(power) * coefficient)
        .collect()
}

/// The values of a polynomial at all roots, group by group: by remainders down the tree.
fn values_at(
    (groups, rows): (&[Vec<Fr>], &Rows),
    polynomial: Vec<Fr>,
    transform: &Transform,
    workers: &Workers,
) -> Option<Vec<Vec<Fr>>> {
    let mut remainders = vec![polynomial];
    for row in rows.iter().rev().skip(1) {
        let below: Vec<(&Vec<Fr>, &Vec<Fr>)> = row
            .iter()
            .enumerate()
            .map(|(place, node)| (&remainders[place / ARITY], node))
            .collect();
        let next = workers.map(&below, |(above, node)| {
            divide(above, node, transform).map(|(_, remainder)| remainder)
        });
        remainders = next.into_iter().collect::<Option<_>>()?;
    }
    let pairs: Vec<(&Vec<Fr>, &Vec<Fr>)> = remainders.iter().zip(groups).collect();
    Some(workers.map(&pairs, |(polynomial, roots)| {
        let values = roots
            .iter()
            .map(|root| polynomial::evaluate(polynomial, *root));
        values.collect()
    }))
}

/// The sum of `f / (X - z_i) / v_i` over roots `z_i` with values `v_i`: up the tree.
fn interpolate(
    (groups, rows): (&[Vec<Fr>], &Rows),
    values: Vec<Vec<Fr>>,
    transform: &Transform,
    workers: &Workers,
) -> Vec<Fr> {
    let leaves: Vec<(&Vec<Fr>, Vec<Fr>)> = groups.iter().zip(values).collect();
    let mut sums = workers.map(&leaves, |(roots, values)| {
        let mut inverses = values.clone();
        ark_ff::serial_batch_inversion_and_mul(&mut inverses, &Fr::ONE);
        fractions(roots, &inverses).0
    });
    for row in rows.iter().take(rows.len() - 1) {
        let parts: Vec<_> = sums.chunks(ARITY).zip(row.chunks(ARITY)).collect();
        sums = workers.map(&parts, |(sums, products)| {
            joined(sums, products, transform).0
        });
    }
    sums.pop().unwrap_or_default()
}

/// The sum of `c_i` times the product of the other factors, and the product of all, for few roots.
fn fractions(roots: &[Fr], coefficients: &[Fr]) -> (Vec<Fr>, Vec<Fr>) {
    if let ([root], [coefficient]) = (roots, coefficients) {
        return (vec![*coefficient], vec![-*root, Fr::ONE]);
    }
    let middle = roots.len() / 2;
    let (left_roots, right_roots) = roots.split_at(middle);
    let (left, right) = coefficients.split_at(middle);
    let (left, right) = (fractions(left_roots, left), fractions(right_roots, right));
    let sum = add(short(&left.0, &right.1), &short(&right.0, &left.1));
    (sum, short(&left.1, &right.1))
}

fn short(left: &[Fr], right: &[Fr]) -> Vec<Fr> {
    let mut product = vec![Fr::ZERO; left.len() + right.len() - 1];
    for (place, left) in left.iter().enumerate() {
        for (sum, right) in product[place..].iter_mut().zip(right) {
            *sum += *left * right;
        }
    }
    product
}

/// The sum of fractions of several nodes, and their product.
fn joined(sums: &[Vec<Fr>], products: &[Vec<Fr>], transform: &Transform) -> (Vec<Fr>, Vec<Fr>) {
    if let ([sum], [product]) = (sums, products) {
        return (sum.clone(), product.clone());
    }
    let middle = sums.len() / 2;
    let (left_sums, right_sums) = sums.split_at(middle);
    let (left, right) = products.split_at(middle);
    let left = joined(left_sums, left, transform);
    let right = joined(right_sums, right, transform);
    let sum = add(
        multiply(&left.0, &right.1, transform),
        &multiply(&right.0, &left.1, transform),
    );
    (sum, multiply(&left.1, &right.1, transform))
}

/// The sum of two polynomials, the first of which is not shorter or is extended.
fn add(mut left: Vec<Fr>, right: &[Fr]) -> Vec<Fr> {
    left.resize(left.len().max(right.len()), Fr::ZERO);
    for (sum, right) in left.iter_mut().zip(right) {
        *sum += right;
    }
    left
}
