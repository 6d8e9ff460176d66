//! A dishonest log. It makes trees of sixteen elements, and evidence about them, from arbitrary
//! polynomials.
//!
//! The code follows the definitions. It shares only the products of roots with the crate's authors.
//! Any log can make these messages. A commitment is to a polynomial, and a quotient is a polynomial
//! because the division drops the remainder. The secret only speeds up commitments.

use ark_bls12_381::{Fr, G1Affine, g1};
use ark_ec::{AffineRepr, CurveGroup};
use ark_ff::{AdditiveGroup, Field};
use bls12::{
    point::{self, G1_BYTES},
    scalar,
};
use pad_accumulators::{
    AccumulatorId,
    internals::{
        Transcript,
        polynomial::{self, Transform},
    },
};
use pad_core::{Digest, Sha256Ed25519, Suite as _, Workers, codec};
use pad_log::{
    Log, LogRoot, Schedule, Scheme,
    internals::{Contents, element, hash, prefix::scalar_of_prefix},
};

use crate::support::{CAPACITY, FORGED, at, client_log, log};
use pad_conformance::aad::parameters::secret;

/// Coefficients, lowest first.
pub(crate) type Polynomial = Vec<Fr>;
pub(crate) type Point = [u8; G1_BYTES];

/// The product of `X - root` over all roots.
pub(crate) fn product(roots: &[Fr]) -> Polynomial {
    let negated: Vec<Fr> = roots.iter().map(|root| -*root).collect();
    polynomial::product(&negated, &Workers::sequential())
}

pub(crate) fn multiply(left: &[Fr], right: &[Fr]) -> Polynomial {
    let transform = Transform::for_degree(left.len() + right.len() - 2);
    polynomial::multiply(left, right, &transform)
}

pub(crate) fn commit(polynomial: &[Fr]) -> Point {
    assert!(polynomial.len() <= CAPACITY + 1, "there are no such powers");
    let point = G1Affine::generator() * polynomial::evaluate(polynomial, secret());
    point::encode::<g1::Config, G1_BYTES>(&point.into_affine())
}

/// The quotient by `X - z`, without the remainder.
pub(crate) fn divided(polynomial: &[Fr], z: Fr) -> Polynomial {
    polynomial::divide_by_factor(polynomial, -z).0
}

/// The sum of the products of factors and terms.
pub(crate) fn sum(terms: &[(Fr, &[Fr])]) -> Polynomial {
    let length = terms.iter().map(|(_, term)| term.len()).max();
    let mut sum = vec![Fr::ZERO; length.unwrap_or(0)];
    for (factor, term) in terms {
        for (sum, part) in sum.iter_mut().zip(*term) {
            *sum += *factor * part;
        }
    }
    sum
}

/// The challenge after `parts`, and the transcript for the next challenge.
pub(crate) fn challenge(id: AccumulatorId, name: &str, parts: &[&[u8]]) -> (Transcript, Fr) {
    let mut transcript = Transcript::of(id, name, parts);
    let z = transcript.challenge_scalar();
    (transcript, z)
}

/// The next challenge, after `values`.
pub(crate) fn next_challenge(transcript: &mut Transcript, values: &[Fr]) -> Fr {
    for value in values {
        transcript.absorb(&scalar::encode(value));
    }
    transcript.challenge_scalar()
}

/// The scalars of the prefixes of `string` with these `lengths`.
pub(crate) fn prefixes(string: &[u8], lengths: core::ops::RangeInclusive<u16>) -> Vec<Fr> {
    let scalars = lengths.map(|length| scalar_of_prefix(string, length));
    scalars.collect()
}

/// The element of a pair with the given occurrence.
pub(crate) fn pair(key: &str, value: &str, occurrence: u64) -> Vec<u8> {
    let value = Sha256Ed25519::value(value.as_bytes());
    let key = element::key_half(key.as_bytes());
    let value = element::value_half(&value, occurrence);
    [key.0, value.0].concat()
}

pub(crate) fn member(member: &str) -> Vec<u8> {
    element::of_member(member.as_bytes()).0.to_vec()
}

/// A log of sixteen elements: one tree over two blocks.
pub(crate) struct Tree<S: Scheme> {
    pub(crate) log: Log<S>,
    elements: Vec<Vec<u8>>,
    /// The polynomials that the blocks' accumulators commit to.
    pub(crate) blocks: [Polynomial; 2],
    /// The polynomial that the root's accumulator commits to.
    pub(crate) polynomial: Polynomial,
}

impl<S: Scheme> Tree<S> {
    /// An honest tree.
    pub(crate) fn new(elements: Vec<Vec<u8>>) -> Self {
        let block = |elements: &[Vec<u8>]| {
            let bits = u16::try_from(8 * elements[0].len()).unwrap();
            let roots = elements.iter();
            let roots = roots.flat_map(|element| prefixes(element, 1..=bits));
            product(&roots.collect::<Vec<Fr>>())
        };
        let blocks = [block(&elements[..8]), block(&elements[8..])];
        Self {
            log: log::<S>(FORGED, 4, Schedule::Eager),
            elements,
            polynomial: multiply(&blocks[0], &blocks[1]),
            blocks,
        }
    }

    pub(crate) fn id(&self) -> AccumulatorId {
        self.log.id()
    }

    fn inner_of_block(&self, number: usize) -> Digest<32> {
        let elements = &self.elements[8 * number..8 * number + 8];
        let start = u64::try_from(8 * number).unwrap();
        hash::of_elements(start, elements.iter().map(Vec::as_slice))
    }

    fn inner(&self) -> Digest<32> {
        let [left, right] = [0, 1].map(|number| {
            let accumulator = commit(&self.blocks[number]);
            hash::sealed(3, &accumulator, &self.inner_of_block(number))
        });
        hash::pair(&left, &right)
    }

    pub(crate) fn accumulator(&self) -> Point {
        commit(&self.polynomial)
    }

    /// The log under the digest of this tree.
    pub(crate) fn at(&self) -> LogRoot<S> {
        let root = hash::sealed(4, &self.accumulator(), &self.inner());
        let log = client_log(&self.log);
        at(&log, 2, hash::digest(log.id(), 16, Some(root)))
    }

    /// The part of a message that shows the tree with `blocks` open.
    fn shown(&self, blocks: &[usize]) -> Vec<u8> {
        let (accumulator, inner) = (self.accumulator(), self.inner());
        if blocks.is_empty() {
            return [&accumulator[..], &inner.0].concat();
        }
        let points = [&self.blocks[0], &self.blocks[1], &self.polynomial].map(|part| commit(part));
        let parts = [&inner.0[..], &points[0], &points[1], &points[2]];
        let (mut transcript, z) = challenge(self.id(), "aad: product", &parts);
        let a = polynomial::evaluate(&self.blocks[0], z);
        let g = next_challenge(&mut transcript, &[a]);
        let combined = sum(&[
            (Fr::ONE, &self.blocks[0]),
            (g, &self.polynomial),
            (-(g * a), &self.blocks[1]),
        ]);
        let mut bytes = accumulator.to_vec();
        bytes.extend_from_slice(&scalar::encode(&a));
        bytes.extend_from_slice(&commit(&divided(&combined, z)));
        for number in 0..2 {
            let (accumulator, inner) = (commit(&self.blocks[number]), self.inner_of_block(number));
            bytes.extend_from_slice(&accumulator);
            if !blocks.contains(&number) {
                bytes.extend_from_slice(&inner.0);
                continue;
            }
            bytes.extend(self.elements[8 * number..8 * number + 8].concat());
            let (_, z) = challenge(self.id(), "aad: block", &[&inner.0, &accumulator]);
            bytes.extend_from_slice(&commit(&divided(&self.blocks[number], z)));
        }
        bytes
    }

    /// The message of a look-up that shows `blocks` and `values`.
    pub(crate) fn look_up(&self, blocks: &[usize], evidence: &[u8], values: &[&str]) -> Vec<u8> {
        let mut bytes = codec::envelope(129, S::ID.0);
        let count = |count: usize| u32::try_from(count).unwrap().to_be_bytes();
        bytes.extend_from_slice(&16_u64.to_be_bytes());
        bytes.extend_from_slice(&count(blocks.len()));
        bytes.extend(blocks.iter().flat_map(|block| count(*block)));
        bytes.extend(self.shown(blocks));
        bytes.extend_from_slice(evidence);
        if S::CONTENTS == Contents::Dictionary {
            bytes.extend_from_slice(&count(values.len()));
            for value in values {
                bytes.extend_from_slice(&count(value.len()));
                bytes.extend_from_slice(value.as_bytes());
            }
        }
        bytes
    }

    /// The message of an inclusion proof.
    pub(crate) fn inclusion(&self, position: u64, occurrence: u64) -> Vec<u8> {
        let mut bytes = codec::envelope(130, S::ID.0);
        bytes.extend_from_slice(&16_u64.to_be_bytes());
        bytes.extend_from_slice(&position.to_be_bytes());
        if S::CONTENTS == Contents::Dictionary {
            bytes.extend_from_slice(&occurrence.to_be_bytes());
        }
        bytes.extend(self.shown(&[usize::from(position >= 8)]));
        bytes
    }
}

/// Returns `x` and `y` with `x A + y f = 1`. Here `A` is the polynomial `tree`, and `f` is the
/// product of `X - root` over `roots`. No root may be a root of `A`.
pub(crate) fn bezout(tree: &[Fr], roots: &[Fr]) -> [Polynomial; 2] {
    let f = product(roots);
    let x = roots.iter().fold(Polynomial::new(), |x, root| {
        let others = divided(&f, *root);
        let value = polynomial::evaluate(tree, *root) * polynomial::evaluate(&others, *root);
        sum(&[(Fr::ONE, &x), (value.inverse().unwrap(), &others)])
    });
    let rest = sum(&[(Fr::ONE, &[Fr::ONE]), (-Fr::ONE, &multiply(&x, tree))]);
    let y = roots.iter().fold(rest, |rest, root| divided(&rest, *root));
    [x, y]
}

/// Combines equations that should all be zero at one point, with the powers of `g` as coefficients.
/// Leaves out the equation at index `without`.
pub(crate) fn combined(equations: &[Polynomial], g: Fr, without: Option<usize>) -> Polynomial {
    let powers = core::iter::successors(Some(Fr::ONE), |power| Some(*power * g));
    let terms = powers.zip(equations).enumerate();
    let terms = terms.filter(|(place, _)| Some(*place) != without);
    let terms = terms.map(|(_, (power, equation))| (power, equation.as_slice()));
    sum(&terms.collect::<Vec<_>>())
}

/// Returns the equations of a proof of disjointness. `parts` are the polynomials `A`, `f`, `x` and
/// `y` of [`bezout`]; the second argument has the claimed values of `x` and `y`.
pub(crate) fn disjoint_equations(parts: [&[Fr]; 4], [x, y]: [Fr; 2]) -> [Polynomial; 3] {
    let [tree, frontier, x_part, y_part] = parts;
    [
        sum(&[(Fr::ONE, x_part), (-x, &[Fr::ONE])]),
        sum(&[(Fr::ONE, y_part), (-y, &[Fr::ONE])]),
        sum(&[(x, tree), (y, frontier), (-Fr::ONE, &[Fr::ONE])]),
    ]
}

/// Encodes the proof of disjointness for the challenges `z` and `g`.
pub(crate) fn disjoint_at(parts: [&[Fr]; 4], (z, g): (Fr, Fr), values: [Fr; 2]) -> Vec<u8> {
    let [_, frontier, x, y] = parts;
    let claim = combined(&disjoint_equations(parts, values), g, None);
    let values = values.map(|value| scalar::encode(&value));
    [
        &commit(frontier)[..],
        &commit(x),
        &commit(y),
        values.as_flattened(),
        &commit(&divided(&claim, z)),
    ]
    .concat()
}

/// Like [`disjoint_at`], with the verifier's challenges. The proof verifies if the values are right
/// and `x A + y f` is 1 at `z`.
pub(crate) fn disjoint_with(
    id: AccumulatorId,
    parts: [&[Fr]; 4],
    values: impl FnOnce(Fr) -> [Fr; 2],
) -> Vec<u8> {
    let points = parts.map(commit);
    let points = points.each_ref().map(<[u8; G1_BYTES]>::as_slice);
    let (mut transcript, z) = challenge(id, "aad: disjoint", &points);
    let values = values(z);
    let g = next_challenge(&mut transcript, &values);
    disjoint_at(parts, (z, g), values)
}

/// Like [`disjoint_with`], with the true values.
pub(crate) fn disjoint(id: AccumulatorId, parts: [&[Fr]; 4]) -> Vec<u8> {
    let [_, _, x, y] = parts;
    disjoint_with(id, parts, |z| {
        [x, y].map(|part| polynomial::evaluate(part, z))
    })
}

/// The proof that a tree is disjoint from the product over `roots`.
pub(crate) fn honestly_disjoint<S: Scheme>(tree: &Tree<S>, roots: &[Fr]) -> Vec<u8> {
    let [x, y] = bezout(&tree.polynomial, roots);
    disjoint(tree.id(), [&tree.polynomial, &product(roots), &x, &y])
}

/// The equations of a step of a path, with the values of all children but the last.
fn step_equations((parent, children): (&[Fr], &[&[Fr]]), values: &[Fr]) -> Vec<Polynomial> {
    let opened = children.iter().zip(values);
    let mut equations: Vec<Polynomial> = opened
        .map(|(child, value)| sum(&[(Fr::ONE, child), (-*value, &[Fr::ONE])]))
        .collect();
    let together: Fr = values.iter().product();
    let last = children[values.len()];
    equations.push(sum(&[(Fr::ONE, parent), (-together, last)]));
    equations
}

/// Encodes the step of a path to the child `index`, for the challenges `z` and `g`. The quotient of
/// the step leaves out the equation `without`.
pub(crate) fn step_at(
    (parent, children): (&[Fr], &[&[Fr]]),
    (index, without): (usize, Option<usize>),
    (z, g): (Fr, Fr),
    values: &[Fr],
) -> Vec<u8> {
    let claim = combined(&step_equations((parent, children), values), g, without);
    let numbers = [children.len(), index].map(|number| u8::try_from(number).unwrap());
    let mut bytes = numbers.to_vec();
    bytes.extend(children.iter().flat_map(|child| commit(child)));
    bytes.extend(values.iter().flat_map(scalar::encode));
    bytes.extend_from_slice(&commit(&divided(&claim, z)));
    bytes
}

/// Like [`step_at`], with the verifier's challenges.
pub(crate) fn step_with(
    id: AccumulatorId,
    (parent, children): (&[Fr], &[&[Fr]]),
    (index, without): (usize, Option<usize>),
    values: impl FnOnce(Fr) -> Vec<Fr>,
) -> Vec<u8> {
    let points = children.iter().chain([&parent]).map(|part| commit(part));
    let points: Vec<Point> = points.collect();
    let points: Vec<&[u8]> = points.iter().map(<[u8; G1_BYTES]>::as_slice).collect();
    let (mut transcript, z) = challenge(id, "aad: frontier product", &points);
    let values = values(z);
    let g = next_challenge(&mut transcript, &values);
    step_at((parent, children), (index, without), (z, g), &values)
}

/// Like [`step_with`], with the true values.
pub(crate) fn step(
    id: AccumulatorId,
    (parent, children): (&[Fr], &[&[Fr]]),
    index: usize,
) -> Vec<u8> {
    let first = &children[..children.len() - 1];
    step_with(id, (parent, children), (index, None), |z| {
        let values = first.iter().map(|child| polynomial::evaluate(child, z));
        values.collect()
    })
}

/// The path with the given steps.
pub(crate) fn path(steps: &[Vec<u8>]) -> Vec<u8> {
    let mut bytes = vec![u8::try_from(steps.len()).unwrap()];
    bytes.extend(steps.concat());
    bytes
}

/// The evidence that follows a proof of disjointness. It states that the prefix of `length` bits is
/// a root of the group at the end of the path.
pub(crate) fn absence(string: &[u8], length: u16, path: &[u8], group: &[Fr]) -> Vec<u8> {
    let root = scalar_of_prefix(&string[..32], length);
    let mut bytes = length.to_be_bytes().to_vec();
    bytes.extend_from_slice(path);
    bytes.extend_from_slice(&commit(&divided(group, root)));
    bytes
}

/// A chunk at the challenge `z`, with an arbitrary group at the end of the path and an arbitrary
/// quotient `rest`.
pub(crate) fn chunk_at(
    scalars: &[Fr],
    path: &[u8],
    (group, rest): (&[Fr], &[Fr]),
    z: Fr,
) -> Vec<u8> {
    let value: Fr = scalars.iter().map(|scalar| z - scalar).product();
    let combined = sum(&[(Fr::ONE, group), (-value, rest)]);
    [path, &commit(rest), &commit(&divided(&combined, z))].concat()
}

/// Like [`chunk_at`], with the verifier's challenge.
pub(crate) fn chunk(
    id: AccumulatorId,
    scalars: &[Fr],
    path: &[u8],
    (group, rest): (&[Fr], &[Fr]),
) -> Vec<u8> {
    let (group_point, rest_point) = (commit(group), commit(rest));
    let encoded: Vec<u8> = scalars.iter().flat_map(scalar::encode).collect();
    let (_, z) = challenge(id, "aad: chunk", &[&group_point, &rest_point, &encoded]);
    chunk_at(scalars, path, (group, rest), z)
}

/// Returns the scalars of the frontier strings that are longer than a key half, in lexicographic
/// order. Such a string is the shortest one that leaves the prefixes of `elements`. All elements
/// must have one key.
pub(crate) fn lower_frontier(elements: &[Vec<u8>]) -> Vec<Fr> {
    let bit = |element: &[u8], at: usize| element[at / 8] >> (7 - at % 8) & 1;
    let mut strings: Vec<(Vec<u8>, u16)> = Vec::new();
    for element in elements {
        for at in 256..512 {
            let parent = |other: &&Vec<u8>| (0..at).all(|at| bit(other, at) == bit(element, at));
            let taken = |other: &Vec<u8>| bit(other, at) != bit(element, at);
            if elements.iter().filter(parent).any(taken) {
                continue;
            }
            let mut string = element.clone();
            string[at / 8] ^= 0x80 >> (at % 8);
            string[at / 8] &= 0xff_u8 << (7 - at % 8);
            string[at / 8 + 1..].fill(0);
            strings.push((string, u16::try_from(at + 1).unwrap()));
        }
    }
    strings.sort_unstable();
    strings.dedup();
    let scalars = strings.iter();
    let scalars = scalars.map(|(string, length)| scalar_of_prefix(string, *length));
    scalars.collect()
}

/// Returns the first two coefficients with which the verifier combines the claims in a message.
/// Without a `body`, they follow from a transcript that leaves out the body.
pub(crate) fn coefficients<S: Scheme>(
    id: AccumulatorId,
    at: &LogRoot<S>,
    question: &[u8],
    body: Option<&[u8]>,
) -> [Fr; 2] {
    let mu = Fr::from(228_988_810_152_649_578_064_853_576_960_394_133_504_u128);
    let mut transcript = Transcript::of(id, "aad: coefficients", &[&at.root().0, question]);
    if let Some(body) = body {
        transcript.absorb(body);
    }
    let challenge = transcript.challenge();
    [0, 16].map(|at| {
        let word = |at: usize| {
            let bytes = challenge[at..at + 8].try_into().unwrap();
            Fr::from(i64::from_le_bytes(bytes))
        };
        word(at) + mu * word(at + 8)
    })
}
