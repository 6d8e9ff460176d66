//! Solves the equation of Bézout, `x A + y f = 1`, for given polynomials `A` and `f`. The roots of
//! `f` are known.
//!
//! The polynomials of groups of roots of `f` are available, so no half-gcd is needed. Let
//! `c_i = 1 / (A(z_i) f'(z_i))` over the roots `z_i`. Then `x` is the sum of `c_i f / (X - z_i)`,
//! and `y` the exact quotient of `1 - x A` by `f`. Values at all roots are computed down the tree
//! of products, by transposed products. Sums are computed up the tree, by products.
//!
//! Source: von zur Gathen, Gerhard 2013, "Modern Computer Algebra", sections 9.1 and 10.1 to 10.3;
//! Bostan, Lecerf, Schost 2003, "Tellegen's principle into practice", section 5.

use ark_bls12_381::Fr;
use ark_ff::{AdditiveGroup, Field, Zero};
use pad_accumulators::{
    AccumulateError,
    internals::polynomial::{self, Transform},
};

use super::{
    steps::pause,
    stepwise::{Pace, middle_product, middle_steps, multiply, multiply_steps},
};

/// A binary tree of polynomials, each the product of its children. The first row has one polynomial
/// for each group of roots. The last row has only the root of the tree. The last node of a row of
/// odd length moves up unchanged.
pub(super) type Rows = Vec<Vec<Vec<Fr>>>;

/// Builds the tree of products. `row` contains the polynomial of each group of roots.
pub(super) async fn products(mut row: Vec<Vec<Fr>>, transform: &Transform, pace: &Pace) -> Rows {
    let mut rows = Rows::new();
    while row.len() > 1 {
        let pairs: Vec<&[Vec<Fr>]> = row.chunks(2).collect();
        let next = pace.map(&pairs, |pair, _| product(pair, transform)).await;
        rows.push(row);
        row = next;
    }
    rows.push(row);
    rows
}

async fn product(pair: &[Vec<Fr>], transform: &Transform) -> Vec<Fr> {
    match pair {
        [left, right] => multiply(left, right, transform).await,
        _ => pair.concat(),
    }
}

/// Computes the degrees of all polynomials in the tree of products. `groups` contains the degrees
/// in the first row.
pub(super) fn degrees(groups: &[usize]) -> Vec<Vec<usize>> {
    let mut rows = vec![groups.to_vec()];
    while let Some(row) = rows.last().filter(|row| row.len() > 1) {
        let next = row.chunks(2).map(|pair| pair.iter().sum()).collect();
        rows.push(next);
    }
    rows
}

/// Selects every second row from the first on, and the last row. In the result, a node is the
/// product of up to four nodes of the row below.
pub(super) fn every_second<T>(rows: &[T]) -> Vec<&T> {
    let is_root = |number: usize| number + 1 == rows.len();
    let chosen = rows.iter().enumerate();
    let chosen = chosen.filter(|(number, _)| number.is_multiple_of(2) || is_root(*number));
    chosen.map(|(_, row)| row).collect()
}

/// Returns the number of steps of [`products`] and [`bezout`] together, where `tree` is the degree
/// of the polynomial `A`. `degrees` are the degrees in the tree of products.
pub(super) fn bezout_steps(tree: usize, degrees: &[Vec<usize>]) -> usize {
    let groups = degrees.first().map_or(0, Vec::len);
    let frontier = degrees.last().and_then(|row| row.first()).copied();
    let frontier = frontier.unwrap_or(0);
    let inner = degrees[..degrees.len() - 1].iter();
    let inner: usize = inner.flat_map(|row| row.chunks(2)).map(node_steps).sum();
    let series = inverse_steps(frontier + 1, tree)
        + divide_steps(tree + 1, frontier + 1)
        + multiply_steps(frontier, frontier)
        + divide_steps(2 * frontier - 1, frontier + 1)
        + multiply_steps(frontier, frontier)
        + multiply_steps(frontier, tree + 1)
        + divide_steps(frontier + tree, frontier + 1);
    inner + groups + series
}

/// Returns the number of steps for a node of the tree of products whose children have these
/// degrees.
fn node_steps(children: &[usize]) -> usize {
    let [left, right] = *children else {
        return 0;
    };
    let product = multiply_steps(left + 1, right + 1);
    let split =
        middle_steps(right + 1, left + right, left) + middle_steps(left + 1, left + right, right);
    let join = multiply_steps(left, right + 1) + multiply_steps(right, left + 1);
    product + split + join
}

/// Computes `[x, y]` with `x A + y f = 1`, where `A` is `tree`. `groups` are the roots of `f` in
/// groups, and `rows` is the tree of products over these groups. `transform` must support products
/// of twice the degree of `tree`.
///
/// # Errors
/// [`AccumulateError::ElementNotAllowed`] if a root of `f` is a root of `A`, or two roots of `f`
/// are equal. Both mean that hashes have collided.
pub(super) async fn bezout(
    tree: &[Fr],
    (groups, rows): (&[Vec<Fr>], &Rows),
    transform: &Transform,
    pace: &Pace,
) -> Result<[Vec<Fr>; 2], AccumulateError> {
    let collision = AccumulateError::ElementNotAllowed;
    let frontier = rows.last().and_then(|row| row.first()).ok_or(collision)?;
    let inverse = inverse(frontier, tree.len() - 1, transform).await;
    let divisor = (frontier.as_slice(), inverse.as_slice());
    let (_, remainder) = divide(tree, divisor, transform).await;
    let product = multiply(&remainder, &derivative(frontier), transform).await;
    let (_, remainder) = divide(&product, divisor, transform).await;
    let start = transposed(&inverse, remainder, frontier.len() - 1, transform).await;
    let vectors = down(rows, start, transform, pace).await;
    let parts: Vec<(&Vec<Fr>, Vec<Fr>)> = groups.iter().zip(vectors).collect();
    let sums = pace.map(&parts, |(roots, vector), _| async move {
        let sum = fractions(roots, vector, transform);
        pause().await;
        sum
    });
    let sums: Option<Vec<Vec<Fr>>> = sums.await.into_iter().collect();
    let x = up(rows, sums.ok_or(collision)?, transform, pace).await;
    let mut numerator = multiply(&x, tree, transform).await;
    negate(&mut numerator);
    numerator[0] += Fr::ONE;
    let (y, remainder) = divide(&numerator, divisor, transform).await;
    debug_assert!(remainder.iter().all(Zero::is_zero), "f divides 1 - x A");
    Ok([x, y])
}

fn negate(polynomial: &mut [Fr]) {
    for coefficient in polynomial {
        *coefficient = -*coefficient;
    }
}

fn derivative(polynomial: &[Fr]) -> Vec<Fr> {
    let numbered = (1_u64..).zip(polynomial.iter().skip(1));
    let terms = numbered.map(|(power, coefficient)| Fr::from(power) * coefficient);
    terms.collect()
}

/// Computes the vector from which [`down`] computes the values of `polynomial` at all roots. Its
/// entry `j` is the sum of `u_k inverse_(k - j)` over `k`, with the coefficients `u` of
/// `polynomial`.
async fn transposed(
    inverse: &[Fr],
    mut polynomial: Vec<Fr>,
    degree: usize,
    transform: &Transform,
) -> Vec<Fr> {
    polynomial.resize(degree, Fr::ZERO);
    polynomial.reverse();
    let inverse = &inverse[..inverse.len().min(degree)];
    let mut product = multiply(&polynomial, inverse, transform).await;
    product.truncate(degree);
    product.reverse();
    product
}

/// Computes the first `length` coefficients of the inverse of a power series, and at least one. The
/// series has the coefficients of `polynomial`, which is monic, in reverse order.
async fn inverse(polynomial: &[Fr], length: usize, transform: &Transform) -> Vec<Fr> {
    let series: Vec<Fr> = polynomial.iter().rev().take(length).copied().collect();
    let mut inverse = vec![Fr::ONE];
    while inverse.len() < length {
        let next = (2 * inverse.len()).min(length);
        let known = &series[..series.len().min(next)];
        let mut correction = multiply(known, &inverse, transform).await;
        correction.resize(next, Fr::ZERO);
        negate(&mut correction);
        correction[0] += Fr::from(2_u64);
        inverse = multiply(&inverse, &correction, transform).await;
        inverse.truncate(next);
    }
    inverse
}

fn inverse_steps(polynomial: usize, length: usize) -> usize {
    let mut steps = 0;
    let mut known = 1;
    while known < length {
        let next = (2 * known).min(length);
        steps += multiply_steps(polynomial.min(next), known) + multiply_steps(known, next);
        known = next;
    }
    steps
}

/// Divides `dividend` by the polynomial `divisor`, given `inverse`, the inverse of the divisor's
/// reversed series. Returns quotient and remainder.
async fn divide(
    dividend: &[Fr],
    (divisor, inverse): (&[Fr], &[Fr]),
    transform: &Transform,
) -> (Vec<Fr>, Vec<Fr>) {
    if dividend.len() < divisor.len() {
        return (Vec::new(), dividend.to_vec());
    }
    let length = dividend.len() - divisor.len() + 1;
    let reversed: Vec<Fr> = dividend.iter().rev().take(length).copied().collect();
    let mut quotient = multiply(&reversed, &inverse[..length], transform).await;
    quotient.truncate(length);
    quotient.reverse();
    let product = multiply(&quotient, divisor, transform).await;
    let remainder = dividend.iter().zip(&product).take(divisor.len() - 1);
    let remainder = remainder.map(|(left, right)| *left - right).collect();
    (quotient, remainder)
}

fn divide_steps(dividend: usize, divisor: usize) -> usize {
    if dividend < divisor {
        return 0;
    }
    let length = dividend - divisor + 1;
    multiply_steps(length, length) + multiply_steps(length, divisor)
}

/// Computes one vector for each group of roots, from which the values at these roots follow. Goes
/// down the tree of products from `start`, the vector of [`transposed`].
async fn down(rows: &Rows, start: Vec<Fr>, transform: &Transform, pace: &Pace) -> Vec<Vec<Fr>> {
    let mut vectors = vec![start];
    for row in rows.iter().rev().skip(1) {
        let parts: Vec<(&Vec<Fr>, &[Vec<Fr>])> = vectors.iter().zip(row.chunks(2)).collect();
        let next = pace.map(&parts, |(vector, nodes), _| split(nodes, vector, transform));
        vectors = next.await.into_iter().flatten().collect();
    }
    vectors
}

/// Computes the vectors of two sibling nodes from their parent's vector. The vector of a node is a
/// middle product of the parent's vector and the polynomial of the node's sibling.
async fn split(nodes: &[Vec<Fr>], vector: &[Fr], transform: &Transform) -> Vec<Vec<Fr>> {
    let [left, right] = nodes else {
        return vec![vector.to_vec()];
    };
    let first = middle_product(right, vector, left.len() - 1, transform).await;
    let second = middle_product(left, vector, right.len() - 1, transform).await;
    vec![first, second]
}

/// A tree of products over the roots of one group. Each node has half as many roots as its parent,
/// down to single roots.
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
            product: polynomial::multiply(&left.product, &right.product, transform),
            halves: Some(Box::new(halves)),
        }
    }

    /// Evaluates a polynomial at the roots of this node, and appends the results to `values`.
    ///
    /// `vector` is the node's vector for this polynomial. [`down`] computes it for the top node of
    /// a group, and this function for the halves of a node.
    fn append_values(&self, vector: &[Fr], values: &mut Vec<Fr>, transform: &Transform) {
        let Some(halves) = &self.halves else {
            values.extend(vector.first());
            return;
        };
        let [left, right] = &**halves;
        let count = |half: &Self| half.product.len() - 1;
        let below = polynomial::middle_product(&right.product, vector, count(left), transform);
        left.append_values(&below, values, transform);
        let below = polynomial::middle_product(&left.product, vector, count(right), transform);
        right.append_values(&below, values, transform);
    }

    /// Computes the sum, over the roots `z_i` of this node, of `c_i` times the product of `X - z_j`
    /// over the other roots `z_j` of this node.
    fn sum(&self, coefficients: &[Fr], transform: &Transform) -> Vec<Fr> {
        let Some(halves) = &self.halves else {
            return coefficients.to_vec();
        };
        let [left, right] = &**halves;
        let (first, second) = coefficients.split_at(left.product.len() - 1);
        let first = left.sum(first, transform);
        let second = right.sum(second, transform);
        add(
            polynomial::multiply(&first, &right.product, transform),
            &polynomial::multiply(&second, &left.product, transform),
        )
    }
}

/// Computes the sum, over a group's roots `z_i`, of the product of `X - z_j` over the other roots
/// `z_j` of the group, divided by `A(z_i) f'(z_i)`. These values follow from `vector`, the group's
/// vector of [`down`]. Returns `None` if a value is zero.
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

/// Computes the sum of `c_i f / (X - z_i)` over all roots, up the tree of products. `sums` are the
/// results of [`fractions`] for the groups.
async fn up(rows: &Rows, mut sums: Vec<Vec<Fr>>, transform: &Transform, pace: &Pace) -> Vec<Fr> {
    for row in rows.iter().take(rows.len() - 1) {
        let parts: Vec<_> = sums.chunks(2).zip(row.chunks(2)).collect();
        let next = pace.map(&parts, |(sums, nodes), _| join(sums, nodes, transform));
        sums = next.await;
    }
    sums.pop().unwrap_or_default()
}

/// Computes the sum of a node from the sums and the polynomials of its two children.
async fn join(sums: &[Vec<Fr>], nodes: &[Vec<Fr>], transform: &Transform) -> Vec<Fr> {
    let ([left, right], [first, second]) = (sums, nodes) else {
        return sums.concat();
    };
    let sum = multiply(left, second, transform).await;
    add(sum, &multiply(right, first, transform).await)
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
