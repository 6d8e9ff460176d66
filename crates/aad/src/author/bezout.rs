//! The equation of Bézout: `x A + y f = 1` for a polynomial `f` that is given by its roots.
//!
//! No half-gcd is needed, as the products of the roots of `f` are at hand: with `c_i = 1 / (A(z_i) f'(z_i))` over the roots `z_i`,
//! `x` is the sum of `c_i f / (X - z_i)`, and `y` the exact quotient of `1 - x A` by `f`. Values at all roots come down the tree of
//! products by transposed products, sums go up by products.
//!
//! Source: von zur Gathen, Gerhard 2013, "Modern Computer Algebra", sections 10.1 to 10.3; Bostan, Lecerf, Schost 2003, "Tellegen's
//! principle into practice", section 5.

pub(super) mod stepwise;

use accumulators::{
    AccumulateError,
    bilinear::polynomial::{self, Divisor, Transform, middle_product, multiply},
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
            let (left, right) = (product(left, transform), product(right, transform));
            multiply(&left, &right, transform)
        }
    }
}

/// `x` and `y`. The transform is for products of three times the degree of `tree`.
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
    let divisor = Divisor::new(frontier, tree.len(), transform).ok_or(collision)?;
    let divide = |dividend: &[Fr]| divisor.divide(dividend, transform).ok_or(collision);
    let (_, remainder) = divide(tree)?;
    let (_, remainder) = divide(&multiply(&remainder, &derivative(frontier), transform))?;
    let degree = frontier.len() - 1;
    let start = transposed(divisor.inverse(), remainder, degree, transform);
    let vectors = down(rows, start, transform, workers);
    let parts: Vec<(&Vec<Fr>, Vec<Fr>)> = groups.iter().zip(vectors).collect();
    let sums = workers.map(&parts, |(roots, vector)| {
        fractions(roots, vector, transform)
    });
    let sums = sums.into_iter().collect::<Option<_>>().ok_or(collision)?;
    let x = up(rows, sums, transform, workers);
    let numerator = multiply(&x, tree, transform);
    let mut numerator: Vec<Fr> = numerator.iter().map(|part| -*part).collect();
    numerator[0] += Fr::ONE;
    let (y, remainder) = divide(&numerator)?;
    debug_assert!(remainder.iter().all(Zero::is_zero), "f divides 1 - x A");
    Ok([x, y])
}

fn derivative(polynomial: &[Fr]) -> Vec<Fr> {
    let numbered = (1_u64..).zip(polynomial.iter().skip(1));
    let terms = numbered.map(|(power, coefficient)| Fr::from(power) * coefficient);
    terms.collect()
}

/// What the values of a polynomial of a degree below `degree` start from: the sums of `u_k inverse_(k - j)` over `k`, for each `j`.
fn transposed(
    inverse: &[Fr],
    mut polynomial: Vec<Fr>,
    degree: usize,
    transform: &Transform,
) -> Vec<Fr> {
    polynomial.resize(degree, Fr::ZERO);
    polynomial.reverse();
    let inverse = &inverse[..inverse.len().min(degree)];
    let mut product = multiply(&polynomial, inverse, transform);
    product.truncate(degree);
    product.reverse();
    product
}

/// The same for each group: down the tree.
fn down(rows: &Rows, start: Vec<Fr>, transform: &Transform, workers: &Workers) -> Vec<Vec<Fr>> {
    let mut vectors = vec![start];
    for row in rows.iter().rev().skip(1) {
        let parts: Vec<(&Vec<Fr>, &[Vec<Fr>])> = vectors.iter().zip(row.chunks(ARITY)).collect();
        let next = workers.map(&parts, |(vector, nodes)| split(nodes, vector, transform));
        vectors = next.into_iter().flatten().collect();
    }
    vectors
}

/// The vectors of several nodes from the one that they have together: each half's by the other's product.
fn split(nodes: &[Vec<Fr>], vector: &[Fr], transform: &Transform) -> Vec<Vec<Fr>> {
    if nodes.len() == 1 {
        return vec![vector.to_vec()];
    }
    let (left, right) = nodes.split_at(nodes.len() / 2);
    let (left_product, right_product) = (product(left, transform), product(right, transform));
    let count = left_product.len() - 1;
    let below = middle_product(&right_product, vector, count, transform);
    let mut vectors = split(left, &below, transform);
    let count = right_product.len() - 1;
    let below = middle_product(&left_product, vector, count, transform);
    vectors.extend(split(right, &below, transform));
    vectors
}

/// The products of a group's roots by halves, down to single roots.
struct Products {
    product: Vec<Fr>,
    halves: Option<Box<[Self; 2]>>,
}

impl Products {
    fn new(roots: &[Fr], transform: &Transform) -> Self {
        if let [root] = roots {
            return Self {
                product: vec![-*root, Fr::ONE],
                halves: None,
            };
        }
        let (left, right) = roots.split_at(roots.len() / 2);
        let halves = [Self::new(left, transform), Self::new(right, transform)];
        let [left, right] = &halves;
        Self {
            product: multiply(&left.product, &right.product, transform),
            halves: Some(Box::new(halves)),
        }
    }

    /// Appends the values at the roots.
    fn append_values(&self, vector: &[Fr], values: &mut Vec<Fr>, transform: &Transform) {
        let Some(halves) = &self.halves else {
            values.extend(vector.first());
            return;
        };
        let [left, right] = &**halves;
        let count = |half: &Self| half.product.len() - 1;
        let below = middle_product(&right.product, vector, count(left), transform);
        left.append_values(&below, values, transform);
        let below = middle_product(&left.product, vector, count(right), transform);
        right.append_values(&below, values, transform);
    }

    /// The sum of `c_i` times the product of all other factors.
    fn sum(&self, coefficients: &[Fr], transform: &Transform) -> Vec<Fr> {
        let Some(halves) = &self.halves else {
            return coefficients.to_vec();
        };
        let [left, right] = &**halves;
        let (first, second) = coefficients.split_at(left.product.len() - 1);
        let first = left.sum(first, transform);
        let second = right.sum(second, transform);
        add(
            multiply(&first, &right.product, transform),
            &multiply(&second, &left.product, transform),
        )
    }
}

/// The sum over a group's roots of the product of the other factors, each divided by the value at the root; `None` if one is
/// zero.
fn fractions(roots: &[Fr], vector: &[Fr], transform: &Transform) -> Option<Vec<Fr>> {
    let products = Products::new(roots, transform);
    let mut values = Vec::with_capacity(roots.len());
    products.append_values(vector, &mut values, transform);
    if values.iter().any(Zero::is_zero) {
        return None;
    }
    ark_ff::serial_batch_inversion_and_mul(&mut values, &Fr::ONE);
    Some(products.sum(&values, transform))
}

/// The same over all roots: up the tree.
fn up(rows: &Rows, mut sums: Vec<Vec<Fr>>, transform: &Transform, workers: &Workers) -> Vec<Fr> {
    for row in rows.iter().take(rows.len() - 1) {
        let parts: Vec<_> = sums.chunks(ARITY).zip(row.chunks(ARITY)).collect();
        sums = workers.map(&parts, |(sums, nodes)| join(sums, nodes, transform).0);
    }
    sums.pop().unwrap_or_default()
}

/// The sum of fractions of several nodes, and their product.
fn join(sums: &[Vec<Fr>], nodes: &[Vec<Fr>], transform: &Transform) -> (Vec<Fr>, Vec<Fr>) {
    if let ([sum], [node]) = (sums, nodes) {
        return (sum.clone(), node.clone());
    }
    let middle = sums.len() / 2;
    let (left_sums, right_sums) = sums.split_at(middle);
    let (left, right) = nodes.split_at(middle);
    let left = join(left_sums, left, transform);
    let right = join(right_sums, right, transform);
    let sum = add(
        multiply(&left.0, &right.1, transform),
        &multiply(&right.0, &left.1, transform),
    );
    (sum, multiply(&left.1, &right.1, transform))
}

fn add(mut left: Vec<Fr>, right: &[Fr]) -> Vec<Fr> {
    left.resize(left.len().max(right.len()), Fr::ZERO);
    for (sum, right) in left.iter_mut().zip(right) {
        *sum += right;
    }
    left
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests fail by panicking")]
mod tests;
