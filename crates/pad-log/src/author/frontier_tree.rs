//! The [frontier](crate::frontier) of a tree of the log, with accumulators over its strings.
//!
//! The strings of the frontier are divided into groups. The polynomial of a node is the product of
//! the polynomials of up to four nodes in the row below. The last row has one node, whose
//! polynomial covers the whole frontier. Evidence proves that this polynomial has no root in common
//! with the tree's polynomial. The server chooses the groups, and a verifier does not depend on
//! them.

use std::sync::Arc;

use ark_bls12_381::Fr;
use ark_ff::{AdditiveGroup, Field};
use bls12::scalar;
use pad_accumulators::{
    AccumulateError, AccumulatorId,
    bilinear::Parameters,
    internals::polynomial::{self, Transform},
};
use pad_core::Workers;

use super::{
    bezout::{Rows, bezout, bezout_steps, degrees, every_second, products},
    steps::pause,
    stepwise::{Pace, combine, commit_steps, divide_by_root, evaluate, pass_steps},
};
use crate::{
    certificate::{PointBytes, ScalarBytes, second_challenge},
    element::first_half,
    frontier::{
        CHUNK, Frontier, FrontierString,
        evidence::{disjoint_challenge, product_challenge},
    },
    log::Setup,
    scheme::Scheme,
};

mod stored;

/// Maximum number of children of a node in the tree over the groups.
const ARITY: usize = 4;

/// The [frontier](crate::frontier) of a tree of the log: its groups of strings, and a tree of
/// accumulators over the groups.
///
/// Space: four bytes for each element, and a few hundred bytes for each group. Dictionaries have
/// about one group for every two elements, sets one for every four.
#[derive(Clone, Debug)]
pub(crate) struct FrontierTree {
    /// The positions of the elements in the tree, in ascending order of the elements.
    order: Vec<u32>,
    /// The first string of each group.
    groups: Vec<FrontierString>,
    /// The rows of nodes from the groups up to the root.
    rows: Vec<Vec<FrontierNode>>,
    /// The encoded proof that the polynomials of tree and frontier have no common root:
    /// commitments, values and quotient.
    disjoint: Vec<u8>,
}

/// A node of the tree over the groups.
#[derive(Clone, Debug)]
struct FrontierNode {
    accumulator: PointBytes,
    certificate: Option<Certificate>,
}

/// Certificate that the polynomial of a node is the product of its children's polynomials. It
/// contains the values of all children but the last at a challenge, and the commitment to a
/// quotient. Groups, and nodes that moved up unchanged, have no certificate.
type Certificate = (Vec<ScalarBytes>, PointBytes);

/// The inputs for computing the frontier of a tree: its elements, and the division of the frontier
/// into groups.
#[derive(Debug)]
pub(super) struct FrontierPlan {
    id: AccumulatorId,
    setup: Setup,
    /// The tree's elements, concatenated; `order` lists their positions in ascending order of the
    /// elements.
    elements: Vec<u8>,
    order: Vec<u32>,
    layout: Vec<Run>,
}

impl FrontierTree {
    pub(super) fn disjoint(&self) -> &[u8] {
        &self.disjoint
    }

    /// Returns the elements of the tree in ascending order. `elements` is their concatenation.
    pub(super) fn sorted<'a, S: Scheme>(&self, elements: &'a [u8]) -> Vec<&'a [u8]> {
        arranged::<S>(&self.order, elements)
    }

    /// The index of the group that contains `string` or, if the frontier does not, the prefix of
    /// `string`.
    pub(super) fn group_of(&self, frontier: Frontier<'_>, string: &[u8]) -> usize {
        // Compares only the first `string.len()` bytes of a group's first string. The zeros after a
        // shorter first string must not place it after strings that it is a prefix of.
        let bytes = |first: &FrontierString| frontier.bytes(*first).0;
        let is_before = |first: &FrontierString| bytes(first).iter().take(string.len()).le(string);
        self.groups.partition_point(is_before).saturating_sub(1)
    }

    /// The strings of a group.
    pub(super) fn strings<'a>(
        &self,
        frontier: Frontier<'a>,
        group: usize,
    ) -> impl Iterator<Item = FrontierString> + use<'a> {
        let end = self.groups.get(group + 1).copied();
        let strings = frontier.iter_from(self.groups[group]);
        strings.take_while(move |string| Some(*string) != end)
    }

    /// Appends to `bytes` the encoded certificates on the path from the root to a group. Their
    /// number, one byte, comes first. Returns the group's accumulator.
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

/// Returns the concatenated `elements` as a list, in the order in which `order` lists their
/// positions.
fn arranged<'a, S: Scheme>(order: &[u32], elements: &'a [u8]) -> Vec<&'a [u8]> {
    let width = S::element_bytes();
    let place = |place: &u32| usize::try_from(*place).unwrap_or(usize::MAX) * width;
    let element = |start: usize| &elements[start..start + width];
    order.iter().map(place).map(element).collect()
}

/// Returns the whole [frontier](crate::frontier) of a tree with these elements, which are strictly
/// ascending.
pub(super) fn whole<'a, S: Scheme>(elements: &'a [&'a [u8]]) -> Frontier<'a> {
    Frontier::new(elements, 0, S::ELEMENT_BITS)
}

/// Sorts the elements of a tree. Returns two lists in ascending order of the elements: their
/// positions in the tree, and the elements themselves.
fn in_order<S: Scheme>(elements: &[u8]) -> (Vec<u32>, Vec<&[u8]>) {
    let elements = elements.chunks(S::element_bytes());
    let mut sorted: Vec<(u32, &[u8])> = (0..).zip(elements).collect();
    sorted.sort_unstable_by_key(|(_, element)| *element);
    sorted.into_iter().unzip()
}

/// Some consecutive strings of a frontier, in lexicographic order.
#[derive(Clone, Copy, Debug)]
struct Run {
    first: FrontierString,
    length: usize,
}

impl Run {
    fn scalars(self, frontier: Frontier<'_>) -> Vec<Fr> {
        let strings = frontier.iter_from(self.first).take(self.length);
        strings.map(|string| frontier.scalar(string)).collect()
    }
}

/// Cuts a frontier into groups of at most [`Scheme::GROUP_DEGREE`] strings. Groups consist of whole
/// atoms. A string that is at most as long as a key half is an atom. So is a run of at most
/// [`CHUNK`] longer strings that begin with one key half.
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

/// Cuts a frontier into atoms, the runs of strings that [`groups`] does not divide. They are in
/// lexicographic order.
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

/// The children of a node: their polynomials, and the nodes themselves, both in the same order.
type Children<'a> = (&'a [Vec<Fr>], &'a [FrontierNode]);

impl FrontierPlan {
    /// Cuts the frontier of a tree with these elements into groups.
    ///
    /// Time: sorting the elements, and linear in the number of strings. Hashes nothing.
    pub(super) fn new<S: Scheme>((id, setup): (AccumulatorId, Setup), elements: &[u8]) -> Self {
        let (order, sorted) = in_order::<S>(elements);
        let layout = groups::<S>(whole::<S>(&sorted));
        Self {
            id,
            setup,
            elements: elements.to_vec(),
            order,
            layout,
        }
    }

    /// The number of steps of [`FrontierPlan::make`] for a tree whose polynomial has this degree.
    /// `terms` is the maximum number of terms of a sum in one step.
    pub(super) fn steps(&self, degree: usize, terms: usize) -> usize {
        let sizes: Vec<usize> = self.layout.iter().map(|group| group.length).collect();
        let degrees = degrees(&sizes);
        let proved = every_second(&degrees);
        let nodes = proved.iter().copied().flatten();
        let accumulators: usize = nodes.map(|degree| commit_steps(degree + 1, terms)).sum();
        let certificates: usize = proved[..proved.len() - 1]
            .iter()
            .flat_map(|row| row.chunks(ARITY))
            .map(|children| certificate_steps(children, terms))
            .sum();
        let whole = degrees.last().and_then(|row| row.first()).copied();
        let disjoint = disjoint_steps(degree, whole.unwrap_or(0), terms);
        1 + sizes.len() + bezout_steps(degree, &degrees) + accumulators + certificates + disjoint
    }

    /// Computes the frontier of the tree with this accumulator and polynomial.
    ///
    /// Cost: sums of about `8 d n` terms in total for `n = 16` elements with `d` prefixes each, and
    /// of `12 d n` terms for `n = 512`. Each row of nodes adds `2 d n` terms.
    ///
    /// # Errors
    /// [`AccumulateError::CapacityExceeded`] if the parameters have too few powers.
    /// [`AccumulateError::ElementNotAllowed`] if hashes have collided.
    pub(super) async fn make<S: Scheme>(
        self,
        (accumulator, polynomial): (PointBytes, Arc<Vec<Fr>>),
        pace: Pace,
    ) -> Result<FrontierTree, AccumulateError> {
        let sorted = arranged::<S>(&self.order, &self.elements);
        let frontier = whole::<S>(&sorted);
        // No product has more than twice the degree of the tree's polynomial.
        let transform = Transform::for_degree(2 * (polynomial.len() - 1));
        pause().await;
        let groups = pace.map(&self.layout, |group, _| async move {
            let roots = group.scalars(frontier);
            let negated: Vec<Fr> = roots.iter().map(|root| -*root).collect();
            let product = polynomial::product(&negated, &Workers::sequential());
            pause().await;
            (roots, product)
        });
        let (groups, row): (Vec<_>, Vec<_>) = groups.await.into_iter().unzip();
        let rows = products(row, &transform, &pace).await;
        let coefficients = bezout(&polynomial, (&groups, &rows), &transform, &pace).await?;
        let nodes = self.certified(&rows, &pace).await?;
        let tree = (&accumulator, polynomial.as_slice());
        let disjoint = self.disjoint(tree, (&rows, &nodes), coefficients, &pace);
        let disjoint = disjoint.await?;
        Ok(FrontierTree {
            groups: self.layout.iter().map(|group| group.first).collect(),
            order: self.order,
            rows: nodes,
            disjoint,
        })
    }

    fn parameters(&self) -> &Parameters {
        self.setup.parameters()
    }

    /// Computes the accumulators and certificates of all nodes of the frontier's tree, whose
    /// polynomials are `rows`.
    async fn certified(
        &self,
        rows: &Rows,
        pace: &Pace,
    ) -> Result<Vec<Vec<FrontierNode>>, AccumulateError> {
        let rows = every_second(rows);
        let mut nodes: Vec<Vec<FrontierNode>> = Vec::with_capacity(rows.len());
        for (number, row) in rows.iter().enumerate() {
            let below: Vec<Children<'_>> = match number.checked_sub(1) {
                Some(below) => {
                    let chunks = rows[below].chunks(ARITY);
                    chunks.zip(nodes[below].chunks(ARITY)).collect()
                }
                None => vec![(&[], &[]); row.len()],
            };
            let parts: Vec<(&Vec<Fr>, Children<'_>)> = row.iter().zip(below).collect();
            let made = pace.map(&parts, |(product, children), pace| {
                self.node(product, *children, pace)
            });
            let made: Result<_, _> = made.await.into_iter().collect();
            nodes.push(made?);
        }
        Ok(nodes)
    }

    async fn node(
        &self,
        product: &[Fr],
        children: Children<'_>,
        pace: Pace,
    ) -> Result<FrontierNode, AccumulateError> {
        let accumulator = pace.commit(self.parameters(), product).await?;
        let certificate = self.certificate(children, (product, &accumulator), &pace);
        Ok(FrontierNode {
            certificate: certificate.await?,
            accumulator,
        })
    }

    /// Computes the certificate that a node's polynomial is the product of its children's
    /// polynomials. Returns `None` for a node without children, or a node that moved up unchanged.
    async fn certificate(
        &self,
        (children, nodes): Children<'_>,
        (parent, accumulator): (&[Fr], &PointBytes),
        pace: &Pace,
    ) -> Result<Option<Certificate>, AccumulateError> {
        let Some((last, first)) = children.split_last().filter(|(_, first)| !first.is_empty())
        else {
            return Ok(None);
        };
        let accumulators: Vec<PointBytes> = nodes.iter().map(|node| node.accumulator).collect();
        let (mut transcript, z) = product_challenge(self.id, &accumulators, accumulator);
        let mut values = Vec::with_capacity(first.len());
        for child in first {
            values.push(evaluate(child, z).await);
        }
        let encoded: Vec<ScalarBytes> = values.iter().map(scalar::encode).collect();
        let g = second_challenge(&mut transcript, &encoded);
        let (mut power, mut product, mut constant) = (Fr::ONE, Fr::ONE, Fr::ZERO);
        let mut multiples: Vec<(&[Fr], Fr)> = Vec::with_capacity(children.len() + 1);
        for (child, value) in first.iter().zip(&values) {
            multiples.push((child, power));
            constant -= power * value;
            power *= g;
            product *= value;
        }
        multiples.push((parent, power));
        multiples.push((last, -(power * product)));
        let combined = combine(&multiples, constant).await;
        let quotient = divide_by_root(&combined, z).await;
        let quotient = pace.commit(self.parameters(), &quotient).await?;
        Ok(Some((encoded, quotient)))
    }

    /// Proves that the polynomial `A` of the tree and the polynomial `f` of the frontier have no
    /// root in common: `x A + y f = 1`.
    ///
    /// The proof contains commitments to `f`, `x` and `y`, the values of `x` and `y` at the
    /// challenge, and the quotient.
    async fn disjoint(
        &self,
        (accumulator, polynomial): (&PointBytes, &[Fr]),
        (rows, nodes): (&Rows, &[Vec<FrontierNode>]),
        [x, y]: [Vec<Fr>; 2],
        pace: &Pace,
    ) -> Result<Vec<u8>, AccumulateError> {
        let collision = AccumulateError::ElementNotAllowed;
        let frontier = rows.last().and_then(|row| row.first()).ok_or(collision)?;
        let root = nodes.last().and_then(|row| row.first()).ok_or(collision)?;
        let x_point = pace.commit(self.parameters(), &x).await?;
        let y_point = pace.commit(self.parameters(), &y).await?;
        let commitments = [accumulator, &root.accumulator, &x_point, &y_point];
        let (mut transcript, z) = disjoint_challenge(self.id, commitments);
        let (x_value, y_value) = (evaluate(&x, z).await, evaluate(&y, z).await);
        let values = [scalar::encode(&x_value), scalar::encode(&y_value)];
        let g = second_challenge(&mut transcript, &values);
        let square = g.square();
        let multiples: [(&[Fr], Fr); 4] = [
            (&x, Fr::ONE),
            (&y, g),
            (polynomial, square * x_value),
            (frontier, square * y_value),
        ];
        let combined = combine(&multiples, -(x_value + g * y_value + square)).await;
        let quotient = divide_by_root(&combined, z).await;
        let quotient = pace.commit(self.parameters(), &quotient).await?;
        let points = [root.accumulator, x_point, y_point].concat();
        Ok([points, values.concat(), quotient.to_vec()].concat())
    }
}

/// The number of steps for the certificate of a node whose children have these degrees.
fn certificate_steps(children: &[usize], terms: usize) -> usize {
    let Some((_, first)) = children.split_last().filter(|(_, first)| !first.is_empty()) else {
        return 0;
    };
    let degree: usize = children.iter().sum();
    let values: usize = first.iter().map(|degree| pass_steps(degree + 1)).sum();
    values + 2 * pass_steps(degree + 1) + commit_steps(degree, terms)
}

fn disjoint_steps(tree: usize, frontier: usize, terms: usize) -> usize {
    let commitments = commit_steps(frontier, terms) + 2 * commit_steps(tree, terms);
    commitments + pass_steps(frontier) + pass_steps(tree) + 2 * pass_steps(tree + 1)
}
