//! The frontier of a tree with accumulators: groups of strings, joined by fours up to one polynomial, and the proof that it has no root in
//! common with the tree's.
//!
//! The layout is the server's own business: a verifier does not see it.

pub(super) mod stepwise;

use accumulators::{
    AccumulateError, AccumulatorId,
    bilinear::{
        Parameters,
        polynomial::{self, Transform},
    },
};
use ark_bls12_381::Fr;
use ark_ff::{AdditiveGroup, Field, Zero};
use bls12::scalar;
use pad_core::Workers;

use super::bezout::{ARITY, Rows, bezout, products};
use crate::{
    certificate::{PointBytes, ScalarBytes},
    element::first_half,
    frontier::{
        CHUNK, Frontier, Leaving,
        evidence::{disjoint_challenge, product_challenge, second_challenge},
    },
    scheme::Scheme,
};

mod stored;

/// The frontier of a tree.
///
/// Space: four bytes for each element, and some hundred for each group, of which there are half as many.
#[derive(Clone, Debug)]
pub(crate) struct FrontierTree {
    /// The elements' places in the tree, in ascending order of the elements.
    order: Vec<u32>,
    /// The first string of each group.
    groups: Vec<Leaving>,
    /// From the groups up to the root.
    rows: Vec<Vec<FrontierNode>>,
    /// Commitments, values and quotient, as a proof has them.
    disjoint: Vec<u8>,
}

/// A node of the tree over the groups.
#[derive(Clone, Debug)]
struct FrontierNode {
    accumulator: PointBytes,
    /// That it is the product of its children; none for groups and for nodes that moved up as they are.
    certificate: Option<(Vec<ScalarBytes>, PointBytes)>,
}

/// A tree of which the frontier is made.
#[derive(Debug)]
pub(super) struct Tree<'a> {
    pub(super) id: AccumulatorId,
    pub(super) parameters: &'a Parameters,
    pub(super) workers: &'a Workers,
    pub(super) accumulator: &'a PointBytes,
    /// Its elements, side by side.
    pub(super) elements: &'a [u8],
    /// The product of `X - root` over the elements.
    pub(super) polynomial: &'a [Fr],
}

impl FrontierTree {
    /// The frontier of a tree.
    ///
    /// Cost: sums of about `8 d n` coefficients for `n = 16` elements with `d` prefixes each, and `12 d n` for 512: two more for each
    /// row.
    ///
    /// # Errors
    /// [`AccumulateError::CapacityExceeded`]; [`AccumulateError::ElementNotAllowed`] if hashes have collided.
    pub(super) fn build<S: Scheme>(tree: &Tree<'_>) -> Result<Self, AccumulateError> {
        let (order, elements) = in_order::<S>(tree.elements);
        let frontier = whole::<S>(&elements);
        let layout = groups::<S>(frontier);
        let groups = tree.workers.map(&layout, |group| group.scalars(frontier));
        let transform = Transform::for_degree(4 * tree.polynomial.len());
        let rows = products(&groups, &transform, tree.workers);
        let [x, y] = bezout(tree.polynomial, (&groups, &rows), &transform, tree.workers)?;
        let nodes = certified(tree, &rows)?;
        let disjoint = disjoint(tree, (&rows, &nodes), [x, y])?;
        Ok(Self {
            order,
            groups: layout.iter().map(|group| group.first).collect(),
            rows: nodes,
            disjoint,
        })
    }

    pub(super) fn disjoint(&self) -> &[u8] {
        &self.disjoint
    }

    /// The elements of the tree in ascending order.
    pub(super) fn sorted<'a, S: Scheme>(&self, elements: &'a [u8]) -> Vec<&'a [u8]> {
        let width = S::element_bytes();
        let place = |place: &u32| usize::try_from(*place).unwrap_or(usize::MAX) * width;
        let element = |start: usize| &elements[start..start + width];
        self.order.iter().map(place).map(element).collect()
    }

    /// The number of the group that holds a string, or the prefix of it that is in the frontier.
    pub(super) fn group_of(&self, frontier: Frontier<'_>, string: &[u8]) -> usize {
        // Of a group's first string no more bytes than these: the zeros after it make it no longer than what it begins.
        let bytes = |first: &Leaving| frontier.bytes(*first).0;
        let is_before = |first: &Leaving| bytes(first).iter().take(string.len()).le(string);
        self.groups.partition_point(is_before).saturating_sub(1)
    }

    /// The strings of a group.
    pub(super) fn strings<'a>(
        &self,
        frontier: Frontier<'a>,
        group: usize,
    ) -> impl Iterator<Item = Leaving> + use<'a> {
        let end = self.groups.get(group + 1).copied();
        let strings = frontier.iter_from(self.groups[group]);
        strings.take_while(move |string| Some(*string) != end)
    }

    /// Appends the path from the root to a group; its accumulator.
    pub(super) fn append_path(&self, group: usize, bytes: &mut Vec<u8>) -> PointBytes {
        let depth_at = bytes.len();
        bytes.push(0);
        for (row, nodes) in self.rows.iter().enumerate().skip(1).rev() {
            let below = group / ARITY.pow(u32::try_from(row - 1).unwrap_or(u32::MAX));
            let Some((values, quotient)) = &nodes[below / ARITY].certificate else {
                continue;
            };
            let children = below / ARITY * ARITY;
            let children = self.rows[row - 1].iter().skip(children).take(ARITY);
            let children: Vec<PointBytes> = children.map(|child| child.accumulator).collect();
            let one_byte = |number: usize| u8::try_from(number).unwrap_or(u8::MAX);
            bytes.extend_from_slice(&[one_byte(children.len()), one_byte(below % ARITY)]);
            bytes.extend_from_slice(children.as_flattened());
            bytes.extend_from_slice(values.as_flattened());
            bytes.extend_from_slice(quotient);
            bytes[depth_at] += 1;
        }
        self.rows[0][group].accumulator
    }
}

/// The whole frontier of a tree with these elements.
pub(super) fn whole<'a, S: Scheme>(elements: &'a [&'a [u8]]) -> Frontier<'a> {
    Frontier::new(elements, 0, S::ELEMENT_BITS)
}

/// The elements of a tree in ascending order, and their places in it.
fn in_order<S: Scheme>(elements: &[u8]) -> (Vec<u32>, Vec<&[u8]>) {
    let elements = elements.chunks(S::element_bytes());
    let mut sorted: Vec<(u32, &[u8])> = (0..).zip(elements).collect();
    sorted.sort_unstable_by_key(|(_, element)| *element);
    sorted.into_iter().unzip()
}

/// Neighbouring strings of a frontier.
#[derive(Clone, Copy, Debug)]
struct Run {
    first: Leaving,
    length: usize,
}

impl Run {
    fn scalars(self, frontier: Frontier<'_>) -> Vec<Fr> {
        let strings = frontier.iter_from(self.first).take(self.length);
        strings.map(|string| frontier.scalar(string)).collect()
    }
}

/// Cuts a frontier into groups of at most [`Scheme::GROUP_DEGREE`] strings, of whole atoms: single strings up to the length of a key half, and
/// chunks of those that leave one key's values.
///
/// Time: linear in the number of strings, without hashing.
fn groups<S: Scheme>(frontier: Frontier<'_>) -> Vec<Run> {
    let mut groups: Vec<Run> = Vec::new();
    for atom in atoms::<S>(frontier) {
        match groups.last_mut() {
            Some(group) if group.length + atom.length <= S::GROUP_DEGREE => {
                group.length += atom.length;
            }
            _ => groups.push(atom),
        }
    }
    groups
}

/// The atoms of a frontier, in order.
fn atoms<S: Scheme>(frontier: Frontier<'_>) -> Vec<Run> {
    let mut atoms: Vec<Run> = Vec::new();
    let mut open: Option<[u8; 32]> = None;
    for first in frontier.iter() {
        let half = (first.bit >= S::KEY_BITS).then(|| first_half(&frontier.bytes(first).0));
        match atoms.last_mut() {
            Some(atom) if half.is_some() && half == open && atom.length < CHUNK => {
                atom.length += 1;
            }
            _ => atoms.push(Run { first, length: 1 }),
        }
        open = half;
    }
    atoms
}

/// The nodes over these polynomials, with their certificates.
fn certified(tree: &Tree<'_>, rows: &Rows) -> Result<Vec<Vec<FrontierNode>>, AccumulateError> {
    let mut nodes: Vec<Vec<FrontierNode>> = Vec::with_capacity(rows.len());
    for (number, row) in rows.iter().enumerate() {
        let accumulators = tree.parameters.commit_each(row, tree.workers)?;
        let certificates = match number.checked_sub(1) {
            Some(below) => certificates(tree, (&rows[below], &nodes[below]), (row, &accumulators))?,
            None => vec![None; row.len()],
        };
        let made = accumulators.into_iter().zip(certificates);
        let made = made.map(|(accumulator, certificate)| FrontierNode {
            accumulator,
            certificate,
        });
        nodes.push(made.collect());
    }
    Ok(nodes)
}

type Certificate = Option<(Vec<ScalarBytes>, PointBytes)>;

/// The certificates of a row, from the row below it.
fn certificates(
    tree: &Tree<'_>,
    (below, nodes): (&[Vec<Fr>], &[FrontierNode]),
    (row, accumulators): (&[Vec<Fr>], &[PointBytes]),
) -> Result<Vec<Certificate>, AccumulateError> {
    let parts: Vec<_> = below
        .chunks(ARITY)
        .zip(nodes.chunks(ARITY))
        .zip(row.iter().zip(accumulators))
        .collect();
    let made = tree.workers.map(&parts, |((children, nodes), parent)| {
        (children.len() > 1).then(|| quotient(tree.id, (children, nodes), *parent))
    });
    let quotients: Vec<Vec<Fr>> = made
        .iter()
        .flatten()
        .map(|(_, quotient)| quotient.clone())
        .collect();
    let mut quotients = tree
        .parameters
        .commit_each(&quotients, tree.workers)?
        .into_iter();
    let mut certificate = |(values, _)| quotients.next().map(|quotient| (values, quotient));
    Ok(made
        .into_iter()
        .map(|made| made.and_then(&mut certificate))
        .collect::<Vec<_>>())
}

/// The values of all children but the last, and the quotient of the equations that make the parent their product.
fn quotient(
    id: AccumulatorId,
    (children, nodes): (&[Vec<Fr>], &[FrontierNode]),
    (parent, accumulator): (&Vec<Fr>, &PointBytes),
) -> (Vec<ScalarBytes>, Vec<Fr>) {
    let accumulators: Vec<PointBytes> = nodes.iter().map(|node| node.accumulator).collect();
    let (mut transcript, z) = product_challenge(id, &accumulators, accumulator);
    let (last, first) = match children.split_last() {
        Some((last, first)) => (last.as_slice(), first),
        None => (&[][..], &[][..]),
    };
    let values: Vec<Fr> = first
        .iter()
        .map(|child| polynomial::evaluate(child, z))
        .collect();
    let encoded: Vec<ScalarBytes> = values.iter().map(scalar::encode).collect();
    let g = second_challenge(&mut transcript, &encoded);
    let mut combined = vec![Fr::ZERO; parent.len()];
    let (mut power, mut product) = (Fr::ONE, Fr::ONE);
    for (child, value) in first.iter().zip(&values) {
        add_multiple(&mut combined, child, power);
        combined[0] -= power * value;
        power *= g;
        product *= value;
    }
    add_multiple(&mut combined, parent, power);
    add_multiple(&mut combined, last, -(power * product));
    let (quotient, remainder) = polynomial::divide_by_factor(&combined, -z);
    debug_assert!(remainder.is_zero(), "a node's polynomial is the product");
    (encoded, quotient)
}

fn add_multiple(sum: &mut Vec<Fr>, polynomial: &[Fr], factor: Fr) {
    sum.resize(sum.len().max(polynomial.len()), Fr::ZERO);
    for (sum, coefficient) in sum.iter_mut().zip(polynomial) {
        *sum += factor * coefficient;
    }
}

/// Commitments to `f`, `x` and `y`, the values of the last two at the challenge, and the quotient.
fn disjoint(
    tree: &Tree<'_>,
    (rows, nodes): (&Rows, &[Vec<FrontierNode>]),
    [x, y]: [Vec<Fr>; 2],
) -> Result<Vec<u8>, AccumulateError> {
    let collision = AccumulateError::ElementNotAllowed;
    let (parameters, workers) = (tree.parameters, tree.workers);
    let frontier = rows.last().and_then(|row| row.first()).ok_or(collision)?;
    let root = nodes.last().and_then(|row| row.first()).ok_or(collision)?;
    let (x_point, y_point) = (
        parameters.commit(&x, workers)?,
        parameters.commit(&y, workers)?,
    );
    let commitments = [tree.accumulator, &root.accumulator, &x_point, &y_point];
    let (mut transcript, z) = disjoint_challenge(tree.id, commitments);
    let (x_value, y_value) = (polynomial::evaluate(&x, z), polynomial::evaluate(&y, z));
    let values = [scalar::encode(&x_value), scalar::encode(&y_value)];
    let g = second_challenge(&mut transcript, &values);
    let square = g.square();
    let mut combined = x;
    add_multiple(&mut combined, &y, g);
    add_multiple(&mut combined, tree.polynomial, square * x_value);
    add_multiple(&mut combined, frontier, square * y_value);
    combined[0] -= x_value + g * y_value + square;
    let (quotient, remainder) = polynomial::divide_by_factor(&combined, -z);
    debug_assert!(remainder.is_zero(), "x A + y f = 1");
    let quotient = parameters.commit(&quotient, workers)?;
    let [x_encoded, y_encoded] = values;
    let parts: [&[u8]; 6] = [
        &root.accumulator,
        &x_point,
        &y_point,
        &x_encoded,
        &y_encoded,
        &quotient,
    ];
    Ok(parts.concat())
}
