//! The same coefficients, step by step.

use std::borrow::Cow;

use accumulators::{AccumulateError, bilinear::polynomial::Transform};
use ark_bls12_381::Fr;
use ark_ff::{AdditiveGroup, Field};

use super::{ARITY, Rows, add, derivative, fractions};
use crate::author::{
    steps::pause,
    stepwise::{middle_product, middle_steps, multiply, multiply_steps},
};

/// The products over groups of roots, as [`super::products`] makes them, from the groups' own.
pub(in crate::author) async fn products(mut row: Vec<Vec<Fr>>, transform: &Transform) -> Rows {
    let mut rows = Rows::new();
    while row.len() > 1 {
        let mut next = Vec::with_capacity(row.len().div_ceil(ARITY));
        for part in row.chunks(ARITY) {
            next.push(product(part, transform).await);
        }
        rows.push(row);
        row = next;
    }
    rows.push(row);
    rows
}

/// The degrees of all products, from those of the groups.
pub(in crate::author) fn degrees(groups: &[usize]) -> Vec<Vec<usize>> {
    let mut rows = vec![groups.to_vec()];
    while let Some(row) = rows.last().filter(|row| row.len() > 1) {
        let next = row.chunks(ARITY).map(|part| part.iter().sum()).collect();
        rows.push(next);
    }
    rows
}

/// Steps of [`products`] and [`bezout`] together, by the degrees of `tree` and of all products.
pub(in crate::author) fn bezout_steps(tree: usize, degrees: &[Vec<usize>]) -> usize {
    let groups = degrees.first().map_or(0, Vec::len);
    let frontier = degrees.last().and_then(|row| row.first()).copied();
    let frontier = frontier.unwrap_or(0);
    let inner: usize = degrees[..degrees.len() - 1]
        .iter()
        .flat_map(|row| row.chunks(ARITY))
        .map(|part| product_steps(part) + split_steps(part) + join_steps(part))
        .sum();
    let series = inverse_steps(frontier + 1, tree)
        + divide_steps(tree + 1, frontier + 1)
        + multiply_steps(frontier, frontier)
        + divide_steps(2 * frontier - 1, frontier + 1)
        + multiply_steps(frontier, frontier)
        + multiply_steps(frontier, tree + 1)
        + divide_steps(frontier + tree, frontier + 1);
    inner + groups + series
}

/// `x` and `y`, as [`super::bezout`] makes them.
///
/// # Errors
/// [`AccumulateError::ElementNotAllowed`] if hashes have collided.
pub(in crate::author) async fn bezout(
    tree: &[Fr],
    (groups, rows): (&[Vec<Fr>], &Rows),
    transform: &Transform,
) -> Result<[Vec<Fr>; 2], AccumulateError> {
    let collision = AccumulateError::ElementNotAllowed;
    let frontier = rows.last().and_then(|row| row.first()).ok_or(collision)?;
    let inverse = inverse(frontier, tree.len() - 1, transform).await;
    let divisor = (frontier.as_slice(), inverse.as_slice());
    let (_, remainder) = divide(tree, divisor, transform).await;
    let product = multiply(&remainder, &derivative(frontier), transform).await;
    let (_, mut remainder) = divide(&product, divisor, transform).await;
    let degree = frontier.len() - 1;
    // As in `super::transposed`.
    remainder.resize(degree, Fr::ZERO);
    remainder.reverse();
    let known = &inverse[..inverse.len().min(degree)];
    let mut start = multiply(&remainder, known, transform).await;
    start.truncate(degree);
    start.reverse();
    let vectors = down(rows, start, transform).await;
    let mut sums = Vec::with_capacity(groups.len());
    for (roots, vector) in groups.iter().zip(vectors) {
        sums.push(fractions(roots, &vector, transform).ok_or(collision)?);
        pause().await;
    }
    let x = up(rows, sums, transform).await;
    let mut numerator = multiply(&x, tree, transform).await;
    for coefficient in &mut numerator {
        *coefficient = -*coefficient;
    }
    numerator[0] += Fr::ONE;
    let (y, _) = divide(&numerator, divisor, transform).await;
    Ok([x, y])
}

/// The inverse of the power series with the coefficients of a monic polynomial in reverse order.
async fn inverse(polynomial: &[Fr], length: usize, transform: &Transform) -> Vec<Fr> {
    let series: Vec<Fr> = polynomial.iter().rev().take(length).copied().collect();
    let mut inverse = vec![Fr::ONE];
    while inverse.len() < length {
        let next = (2 * inverse.len()).min(length);
        let known = &series[..series.len().min(next)];
        let mut correction = multiply(known, &inverse, transform).await;
        correction.resize(next, Fr::ZERO);
        for coefficient in &mut correction {
            *coefficient = -*coefficient;
        }
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

/// Quotient and remainder by a polynomial with the inverse of its series.
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

/// The product of at most four factors.
async fn product(factors: &[Vec<Fr>], transform: &Transform) -> Vec<Fr> {
    if factors.len() <= 1 {
        return pair(factors, transform).await.into_owned();
    }
    let (left, right) = factors.split_at(factors.len() / 2);
    let left = pair(left, transform).await;
    let right = pair(right, transform).await;
    multiply(&left, &right, transform).await
}

fn product_steps(degrees: &[usize]) -> usize {
    if degrees.len() <= 1 {
        return 0;
    }
    let (left, right) = degrees.split_at(degrees.len() / 2);
    pair_steps(left) + pair_steps(right) + multiply_steps(total(left) + 1, total(right) + 1)
}

/// The product of at most two factors.
async fn pair<'a>(factors: &'a [Vec<Fr>], transform: &Transform) -> Cow<'a, [Fr]> {
    match factors {
        [] => Cow::Owned(vec![Fr::ONE]),
        [one] => Cow::Borrowed(one),
        [left, right, ..] => Cow::Owned(multiply(left, right, transform).await),
    }
}

fn pair_steps(degrees: &[usize]) -> usize {
    match degrees {
        [left, right] => multiply_steps(left + 1, right + 1),
        _ => 0,
    }
}

fn total(degrees: &[usize]) -> usize {
    degrees.iter().sum()
}

/// Down the tree, as in [`super::down`].
async fn down(rows: &Rows, start: Vec<Fr>, transform: &Transform) -> Vec<Vec<Fr>> {
    let mut vectors = vec![start];
    for row in rows.iter().rev().skip(1) {
        let mut next = Vec::with_capacity(row.len());
        for (vector, nodes) in vectors.into_iter().zip(row.chunks(ARITY)) {
            if nodes.len() <= 1 {
                next.push(vector);
                continue;
            }
            let (left, right) = nodes.split_at(nodes.len() / 2);
            let left_product = pair(left, transform).await;
            let right_product = pair(right, transform).await;
            let count = left_product.len() - 1;
            let below = middle_product(&right_product, &vector, count, transform).await;
            next.extend(split_pair(left, below, transform).await);
            let count = right_product.len() - 1;
            let below = middle_product(&left_product, &vector, count, transform).await;
            next.extend(split_pair(right, below, transform).await);
        }
        vectors = next;
    }
    vectors
}

/// The vectors of at most two nodes from the one that they have together.
async fn split_pair(nodes: &[Vec<Fr>], vector: Vec<Fr>, transform: &Transform) -> Vec<Vec<Fr>> {
    let [left, right] = nodes else {
        return vec![vector];
    };
    let first = middle_product(right, &vector, left.len() - 1, transform).await;
    let second = middle_product(left, &vector, right.len() - 1, transform).await;
    vec![first, second]
}

fn split_steps(degrees: &[usize]) -> usize {
    if degrees.len() <= 1 {
        return 0;
    }
    let (left, right) = degrees.split_at(degrees.len() / 2);
    let halves = [left, right];
    let below = halves.map(|half| pair_steps(half) + split_pair_steps(half));
    below[0] + below[1] + split_pair_steps(&halves.map(total))
}

fn split_pair_steps(degrees: &[usize]) -> usize {
    let [left, right] = *degrees else {
        return 0;
    };
    middle_steps(right + 1, left + right, left) + middle_steps(left + 1, left + right, right)
}

/// Up the tree, as in [`super::up`].
async fn up(rows: &Rows, mut sums: Vec<Vec<Fr>>, transform: &Transform) -> Vec<Fr> {
    for row in rows.iter().take(rows.len() - 1) {
        let mut next = Vec::with_capacity(sums.len().div_ceil(ARITY));
        for (sums, nodes) in sums.chunks(ARITY).zip(row.chunks(ARITY)) {
            let (left_sums, right_sums) = sums.split_at(sums.len() / 2);
            let (left, right) = nodes.split_at(nodes.len() / 2);
            let right_sum = join_pair(right_sums, right, transform).await;
            if left.is_empty() {
                next.push(right_sum);
                continue;
            }
            let left_sum = join_pair(left_sums, left, transform).await;
            let left = pair(left, transform).await;
            let right = pair(right, transform).await;
            next.push(join([&left_sum, &right_sum], [&left, &right], transform).await);
        }
        sums = next;
    }
    sums.pop().unwrap_or_default()
}

/// The sum of fractions of at most two nodes.
async fn join_pair(sums: &[Vec<Fr>], nodes: &[Vec<Fr>], transform: &Transform) -> Vec<Fr> {
    match (sums, nodes) {
        ([left, right], [first, second]) => join([left, right], [first, second], transform).await,
        _ => sums.first().cloned().unwrap_or_default(),
    }
}

async fn join(sums: [&[Fr]; 2], nodes: [&[Fr]; 2], transform: &Transform) -> Vec<Fr> {
    let first = multiply(sums[0], nodes[1], transform).await;
    let second = multiply(sums[1], nodes[0], transform).await;
    add(first, &second)
}

fn join_steps(degrees: &[usize]) -> usize {
    if degrees.len() <= 1 {
        return 0;
    }
    let (left, right) = degrees.split_at(degrees.len() / 2);
    let halves = [left, right];
    let below = halves.map(|half| pair_steps(half) + join_pair_steps(half));
    below[0] + below[1] + join_pair_steps(&halves.map(total))
}

fn join_pair_steps(degrees: &[usize]) -> usize {
    let [left, right] = *degrees else {
        return 0;
    };
    multiply_steps(left, right + 1) + multiply_steps(right, left + 1)
}
