//! The frontier of a tree, step by step.

use std::sync::Arc;

use accumulators::{
    AccumulateError, AccumulatorId,
    bilinear::{
        Parameters,
        polynomial::{self, Transform},
    },
};
use ark_bls12_381::Fr;
use ark_ff::{AdditiveGroup, Field};
use bls12::scalar;
use pad_core::Workers;

use super::{FrontierNode, FrontierTree, Run, groups, in_order, whole};
use crate::{
    author::{
        bezout::{
            ARITY, Rows,
            stepwise::{bezout, bezout_steps, degrees, products},
        },
        steps::{Steps, pause},
        stepwise::{combine, commit, commit_steps, divide_by_root, evaluate, pass_steps},
    },
    certificate::{PointBytes, ScalarBytes},
    frontier::evidence::{disjoint_challenge, product_challenge, second_challenge},
    log::Setup,
    scheme::Scheme,
};

/// A frontier that is still to be made, of a tree whose elements are all there.
#[derive(Debug)]
pub(in crate::author) struct Planned {
    pub(in crate::author) id: AccumulatorId,
    pub(in crate::author) setup: Setup,
    /// Terms of a sum that are one step.
    pub(in crate::author) terms: usize,
    /// The tree's elements, side by side.
    elements: Vec<u8>,
    layout: Vec<Run>,
}

impl Planned {
    /// Cuts the frontier into groups.
    ///
    /// Time: linear in the number of strings, without hashing.
    pub(in crate::author) fn new<S: Scheme>(
        (id, setup): (AccumulatorId, Setup),
        terms: usize,
        elements: &[u8],
    ) -> Self {
        let (_, sorted) = in_order::<S>(elements);
        let layout = groups::<S>(whole::<S>(&sorted));
        Self {
            id,
            setup,
            terms,
            elements: elements.to_vec(),
            layout,
        }
    }

    /// The number of steps for a tree whose polynomial has this degree.
    pub(in crate::author) fn steps(&self, degree: usize) -> usize {
        let sizes: Vec<usize> = self.layout.iter().map(|group| group.length).collect();
        let degrees = degrees(&sizes);
        let rows = degrees.iter().flatten();
        let accumulators: usize = rows
            .map(|degree| commit_steps(degree + 1, self.terms))
            .sum();
        let certificates: usize = degrees[..degrees.len() - 1]
            .iter()
            .flat_map(|row| row.chunks(ARITY))
            .map(|children| certificate_steps(children, self.terms))
            .sum();
        let whole = degrees.last().and_then(|row| row.first()).copied();
        let disjoint = disjoint_steps(degree, whole.unwrap_or(0), self.terms);
        1 + sizes.len() + bezout_steps(degree, &degrees) + accumulators + certificates + disjoint
    }

    /// Makes it, for the tree with this accumulator and polynomial.
    pub(in crate::author) fn make<S: Scheme>(
        self,
        accumulator: PointBytes,
        polynomial: Arc<Vec<Fr>>,
    ) -> Steps<Result<FrontierTree, AccumulateError>> {
        let steps = self.steps(polynomial.len() - 1);
        Steps::new(steps, self.run::<S>(accumulator, polynomial))
    }

    async fn run<S: Scheme>(
        self,
        accumulator: PointBytes,
        polynomial: Arc<Vec<Fr>>,
    ) -> Result<FrontierTree, AccumulateError> {
        let (order, sorted) = in_order::<S>(&self.elements);
        let frontier = whole::<S>(&sorted);
        // No product has more than twice the degree of the tree's polynomial.
        let transform = Transform::for_degree(2 * (polynomial.len() - 1));
        pause().await;
        let mut groups = Vec::with_capacity(self.layout.len());
        let mut row = Vec::with_capacity(self.layout.len());
        for group in &self.layout {
            let roots = group.scalars(frontier);
            let negated: Vec<Fr> = roots.iter().map(|root| -*root).collect();
            row.push(polynomial::product(&negated, &Workers::sequential()));
            groups.push(roots);
            pause().await;
        }
        let rows = products(row, &transform).await;
        let coefficients = bezout(&polynomial, (&groups, &rows), &transform).await?;
        let nodes = self.certified(&rows).await?;
        let tree = (&accumulator, polynomial.as_slice());
        let disjoint = self.disjoint(tree, (&rows, &nodes), coefficients).await?;
        Ok(FrontierTree {
            order,
            groups: self.layout.iter().map(|group| group.first).collect(),
            rows: nodes,
            disjoint,
        })
    }

    fn parameters(&self) -> &Parameters {
        self.setup.parameters()
    }

    /// The nodes over these polynomials, with their certificates.
    async fn certified(&self, rows: &Rows) -> Result<Vec<Vec<FrontierNode>>, AccumulateError> {
        let mut nodes: Vec<Vec<FrontierNode>> = Vec::with_capacity(rows.len());
        for (number, row) in rows.iter().enumerate() {
            let mut made = Vec::with_capacity(row.len());
            for (place, product) in row.iter().enumerate() {
                let accumulator = commit(self.parameters(), product, self.terms).await?;
                let certificate = match number.checked_sub(1) {
                    Some(below) => {
                        let range = place * ARITY..rows[below].len().min((place + 1) * ARITY);
                        let children = (&rows[below][range.clone()], &nodes[below][range]);
                        self.certificate(children, (product, &accumulator)).await?
                    }
                    None => None,
                };
                made.push(FrontierNode {
                    accumulator,
                    certificate,
                });
            }
            nodes.push(made);
        }
        Ok(nodes)
    }

    /// The certificate of a node, as in [`super::quotient`]; none for one that moved up as it is.
    async fn certificate(
        &self,
        (children, nodes): (&[Vec<Fr>], &[FrontierNode]),
        (parent, accumulator): (&[Fr], &PointBytes),
    ) -> Result<Option<(Vec<ScalarBytes>, PointBytes)>, AccumulateError> {
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
        let quotient = commit(self.parameters(), &quotient, self.terms).await?;
        Ok(Some((encoded, quotient)))
    }

    /// That the two polynomials have no root in common, as in [`super::disjoint`].
    async fn disjoint(
        &self,
        (accumulator, polynomial): (&PointBytes, &[Fr]),
        (rows, nodes): (&Rows, &[Vec<FrontierNode>]),
        [x, y]: [Vec<Fr>; 2],
    ) -> Result<Vec<u8>, AccumulateError> {
        let collision = AccumulateError::ElementNotAllowed;
        let frontier = rows.last().and_then(|row| row.first()).ok_or(collision)?;
        let root = nodes.last().and_then(|row| row.first()).ok_or(collision)?;
        let x_point = commit(self.parameters(), &x, self.terms).await?;
        let y_point = commit(self.parameters(), &y, self.terms).await?;
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
        let quotient = commit(self.parameters(), &quotient, self.terms).await?;
        let points = [root.accumulator, x_point, y_point].concat();
        Ok([points, values.concat(), quotient.to_vec()].concat())
    }
}

/// Steps of the certificate of a node, by the degrees of its children.
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
