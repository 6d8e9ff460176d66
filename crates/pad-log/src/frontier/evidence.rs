//! The verifier's side of frontier evidence.
//!
//! The evidence proves that the polynomials of a tree and of its frontier have no common root, and
//! that certain strings are in that frontier.

#![allow(
    clippy::arithmetic_side_effects,
    reason = "arithmetic of the field, which does not overflow; numbers are counted by saturating"
)]

use alloc::vec::Vec;

use ark_bls12_381::Fr;
use ark_ff::{AdditiveGroup, Field};
use bls12::{
    point::G1_BYTES,
    scalar::{self, SCALAR_BYTES},
};
use pad_accumulators::{
    AccumulatorId,
    internals::{Transcript, commitments::Claims},
    wire::Reader,
};
use pad_core::{DecodeError, VerifyError};

use super::{CHUNK, Frontier};
use crate::{
    certificate::{PointBytes, ScalarBytes, second_challenge},
    element::HALF,
    prefix::scalar_of_prefix,
    scheme::Scheme,
};

/// Evidence that a tree contains no further elements of a key, as received and not yet decoded.
#[derive(Clone, Debug)]
pub(crate) struct Evidence<'a> {
    frontier: &'a PointBytes,
    /// Commitments to the polynomials `x` and `y` with `x A + y f = 1` (Bézout). `A` is the tree's
    /// polynomial and `f` the frontier's.
    coefficients: [&'a PointBytes; 2],
    values: [&'a ScalarBytes; 2],
    quotient: &'a PointBytes,
    answer: Answer<'a>,
}

/// The strings that the evidence proves to be in the frontier.
#[derive(Clone, Debug)]
enum Answer<'a> {
    /// For an absent key: the first `length` bits of the key half, a string of the frontier.
    Absent {
        length: u16,
        path: Path<'a>,
        quotient: &'a PointBytes,
    },
    /// For a present key: all strings that begin with the key half and leave the trie of
    /// `elements`.
    Present {
        elements: Vec<&'a [u8]>,
        chunks: Vec<Chunk<'a>>,
    },
}

/// Evidence that all strings of a chunk are in one group of the frontier.
#[derive(Clone, Debug)]
struct Chunk<'a> {
    path: Path<'a>,
    rest: &'a PointBytes,
    quotient: &'a PointBytes,
}

/// The path from the root of the tree over a frontier's groups to one group.
#[derive(Clone, Debug)]
struct Path<'a>(Vec<Step<'a>>);

/// One node of a path: the index of the next node among its children, and the certificate that the
/// node's polynomial is the product of the children's.
#[derive(Clone, Copy, Debug)]
struct Step<'a> {
    index: usize,
    children: &'a [PointBytes],
    values: &'a [ScalarBytes],
    quotient: &'a PointBytes,
}

impl<'a> Evidence<'a> {
    /// Reads the evidence for one tree. According to the proof, `elements` are the elements of the
    /// key in the tree.
    pub(crate) fn read<S: Scheme>(
        reader: &mut Reader<'a>,
        elements: &[&'a [u8]],
    ) -> Result<Self, VerifyError> {
        Ok(Self {
            frontier: reader.array_ref()?,
            coefficients: [reader.array_ref()?, reader.array_ref()?],
            values: [reader.array_ref()?, reader.array_ref()?],
            quotient: reader.array_ref()?,
            answer: if elements.is_empty() {
                read_absence::<S>(reader)?
            } else {
                read_presence::<S>(reader, elements)?
            },
        })
    }

    /// Adds the equations of this evidence to `claims`. They must hold for a tree with this
    /// `accumulator` and a key with the key half `half`.
    pub(crate) fn claim<S: Scheme>(
        &self,
        id: AccumulatorId,
        accumulator: &PointBytes,
        half: &[u8; HALF],
        claims: &mut Claims,
    ) -> Result<(), DecodeError> {
        self.claim_disjoint(id, accumulator, claims)?;
        match &self.answer {
            Answer::Absent {
                length,
                path,
                quotient,
            } => {
                let group = path.claim(id, self.frontier, claims)?;
                let group = claims.commitment(group)?;
                let root = scalar_of_prefix(half, *length);
                claims.add(&[(group, Fr::ONE)], Fr::ZERO, root, quotient)
            }
            Answer::Present { elements, chunks } => {
                let frontier = Frontier::new(elements, S::KEY_BITS, S::ELEMENT_BITS);
                let mut strings = frontier.iter();
                chunks.iter().try_for_each(|chunk| {
                    // One chunk at a time: all scalars together take a hundred times the size of
                    // the message.
                    let strings = strings.by_ref().take(CHUNK);
                    let scalars: Vec<Fr> = strings.map(|one| frontier.scalar(one)).collect();
                    chunk.claim(id, self.frontier, &scalars, claims)
                })
            }
        }
    }

    /// Claims that tree and frontier have no common root: `x A + y f = 1` at a random point. `A` is
    /// the tree's polynomial and `f` the frontier's.
    fn claim_disjoint(
        &self,
        id: AccumulatorId,
        accumulator: &PointBytes,
        claims: &mut Claims,
    ) -> Result<(), DecodeError> {
        let [x_commitment, y_commitment] = self.coefficients;
        let commitments = [accumulator, self.frontier, x_commitment, y_commitment];
        let (mut transcript, z) = disjoint_challenge(id, commitments);
        let [x, y] = self.values;
        let (x_value, y_value) = (scalar::decode(x)?, scalar::decode(y)?);
        let g = second_challenge(&mut transcript, &[*x, *y]);
        let [tree, frontier, x, y] = [
            claims.commitment(accumulator)?,
            claims.commitment(self.frontier)?,
            claims.commitment(x_commitment)?,
            claims.commitment(y_commitment)?,
        ];
        let square = g.square();
        let multiples = [
            (x, Fr::ONE),
            (y, g),
            (tree, square * x_value),
            (frontier, square * y_value),
        ];
        let constant = -(x_value + g * y_value + square);
        claims.add(&multiples, constant, z, self.quotient)
    }
}

fn read_absence<'a, S: Scheme>(reader: &mut Reader<'a>) -> Result<Answer<'a>, VerifyError> {
    let length = reader.u16()?;
    if length == 0 || length > S::KEY_BITS {
        return Err(VerifyError::PrefixLength);
    }
    Ok(Answer::Absent {
        length,
        path: Path::read(reader)?,
        quotient: reader.array_ref()?,
    })
}

fn read_presence<'a, S: Scheme>(
    reader: &mut Reader<'a>,
    elements: &[&'a [u8]],
) -> Result<Answer<'a>, VerifyError> {
    let mut elements = elements.to_vec();
    elements.sort_unstable();
    elements.dedup();
    let count = Frontier::new(&elements, S::KEY_BITS, S::ELEMENT_BITS).len();
    let count = count.div_ceil(CHUNK);
    if count.saturating_mul(LEAST_CHUNK) > reader.remaining() {
        return Err(DecodeError::Malformed.into());
    }
    let chunks = (0..count).map(|_| Chunk::read(reader));
    let chunks = chunks.collect::<Result<_, _>>()?;
    Ok(Answer::Present { elements, chunks })
}

impl<'a> Chunk<'a> {
    fn read(reader: &mut Reader<'a>) -> Result<Self, DecodeError> {
        Ok(Self {
            path: Path::read(reader)?,
            rest: reader.array_ref()?,
            quotient: reader.array_ref()?,
        })
    }

    /// Claims at a random point that the group's polynomial is the product of the chunk's
    /// polynomial and the polynomial committed to by `rest`.
    fn claim(
        &self,
        id: AccumulatorId,
        frontier: &'a PointBytes,
        scalars: &[Fr],
        claims: &mut Claims,
    ) -> Result<(), DecodeError> {
        let group = self.path.claim(id, frontier, claims)?;
        let z = chunk_challenge(id, group, self.rest, scalars);
        let value: Fr = scalars.iter().map(|scalar| z - scalar).product();
        let (group, rest) = (claims.commitment(group)?, claims.commitment(self.rest)?);
        let multiples = [(group, Fr::ONE), (rest, -value)];
        claims.add(&multiples, Fr::ZERO, z, self.quotient)
    }
}

impl<'a> Path<'a> {
    fn read(reader: &mut Reader<'a>) -> Result<Self, DecodeError> {
        let [depth] = reader.array()?;
        if depth > DEEPEST {
            return Err(DecodeError::Malformed);
        }
        (0..depth)
            .map(|_| Step::read(reader))
            .collect::<Result<_, _>>()
            .map(Self)
    }

    /// Adds the equations of all nodes on the path to `claims`. Returns the accumulator of the
    /// group at the end of the path.
    fn claim(
        &self,
        id: AccumulatorId,
        root: &'a PointBytes,
        claims: &mut Claims,
    ) -> Result<&'a PointBytes, DecodeError> {
        self.0.iter().try_fold(root, |parent, step| {
            step.claim(id, parent, claims)?;
            step.children.get(step.index).ok_or(DecodeError::Malformed)
        })
    }
}

impl<'a> Step<'a> {
    fn read(reader: &mut Reader<'a>) -> Result<Self, DecodeError> {
        let [count, index] = reader.array()?;
        if !(2..=4).contains(&count) || index >= count {
            return Err(DecodeError::Malformed);
        }
        let count = usize::from(count);
        let children = reader.take(count.saturating_mul(G1_BYTES))?;
        let values = reader.take(count.saturating_sub(1).saturating_mul(SCALAR_BYTES))?;
        Ok(Self {
            index: usize::from(index),
            children: children.as_chunks().0,
            values: values.as_chunks().0,
            quotient: reader.array_ref()?,
        })
    }

    /// Claims at a random point that the parent's polynomial is the product of its children's
    /// polynomials.
    fn claim(
        &self,
        id: AccumulatorId,
        parent: &PointBytes,
        claims: &mut Claims,
    ) -> Result<(), DecodeError> {
        let (mut transcript, z) = product_challenge(id, self.children, parent);
        let g = second_challenge(&mut transcript, self.values);
        let mut multiples = Vec::with_capacity(self.children.len().saturating_add(1));
        let (mut constant, mut power, mut product) = (Fr::ZERO, Fr::ONE, Fr::ONE);
        for (child, value) in self.children.iter().zip(self.values) {
            let value = scalar::decode(value)?;
            multiples.push((claims.commitment(child)?, power));
            constant -= power * value;
            power *= g;
            product *= value;
        }
        if let Some(last) = self.children.last() {
            multiples.push((claims.commitment(last)?, -(power * product)));
        }
        multiples.push((claims.commitment(parent)?, power));
        claims.add(&multiples, constant, z, self.quotient)
    }
}

/// Derives the point at which a frontier node is checked to be the product of its children. Also
/// returns the transcript for [`second_challenge`].
pub(crate) fn product_challenge(
    id: AccumulatorId,
    children: &[PointBytes],
    parent: &PointBytes,
) -> (Transcript, Fr) {
    let mut transcript = Transcript::new(id, "aad: frontier product");
    for accumulator in children {
        transcript.absorb(accumulator);
    }
    transcript.absorb(parent);
    let z = transcript.challenge_scalar();
    (transcript, z)
}

/// Derives the point at which `x A + y f = 1` is checked, from the commitments to `A`, `f`, `x` and
/// `y`. Also returns the transcript for [`second_challenge`].
pub(crate) fn disjoint_challenge(
    id: AccumulatorId,
    commitments: [&PointBytes; 4],
) -> (Transcript, Fr) {
    let parts = commitments.map(PointBytes::as_slice);
    let mut transcript = Transcript::of(id, "aad: disjoint", &parts);
    let z = transcript.challenge_scalar();
    (transcript, z)
}

/// Derives the point at which the division of a group's polynomial by a chunk's polynomial is
/// checked.
pub(crate) fn chunk_challenge(
    id: AccumulatorId,
    group: &PointBytes,
    rest: &PointBytes,
    scalars: &[Fr],
) -> Fr {
    let scalars: Vec<ScalarBytes> = scalars.iter().map(scalar::encode).collect();
    let parts: [&[u8]; 3] = [group, rest, scalars.as_flattened()];
    Transcript::of(id, "aad: chunk", &parts).challenge_scalar()
}

/// Maximum number of nodes on a path, which suffices for 4^32 groups.
const DEEPEST: u8 = 32;
/// Minimum length in bytes of the evidence for a chunk: an empty path and two points.
const LEAST_CHUNK: usize = 1 + 2 * G1_BYTES;
