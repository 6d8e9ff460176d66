//! What must hold of points and scalars: sections 6 to 8 of the specification. Looked at after the digest has matched.

use bls12_381::{G1Affine, G1Projective, Gt, Scalar, multi_miller_loop};

use super::{
    Log, Refusal,
    hashing::{Hash, Transcript, prefix_scalar, scalar},
};

pub(super) type PointBytes = [u8; 48];

/// The refusal of what is well-formed and hashes as it must.
pub(super) const MISMATCH: Refusal = "an equation does not hold";

/// A statement about polynomials, as received.
pub(super) trait Equation {
    fn check(&self, log: &Log) -> Result<(), Refusal>;
}

/// A point of G1, perhaps the identity.
fn any_point(bytes: &PointBytes) -> Result<G1Affine, Refusal> {
    Option::from(G1Affine::from_compressed(bytes)).ok_or("no point of G1")
}

/// A point of G1, and not the identity.
fn point(bytes: &PointBytes) -> Result<G1Affine, Refusal> {
    let point = any_point(bytes)?;
    if bool::from(point.is_identity()) {
        return Err("the identity");
    }
    Ok(point)
}

fn number(bytes: &Hash) -> Result<Scalar, Refusal> {
    scalar(bytes).ok_or("a scalar out of range")
}

/// `[x]_1`.
fn constant(x: Scalar) -> G1Projective {
    G1Affine::generator() * x
}

impl Log {
    /// `P(z) = 0`: `e(C + z w, [1]_2) = e(w, [s]_2)`.
    fn claim(&self, commitment: G1Projective, z: Scalar, w: &PointBytes) -> Result<(), Refusal> {
        let w = any_point(w)?;
        let left = G1Affine::from(commitment + w * z);
        let terms = [(&left, &self.generator), (&-w, &self.secret_in_g2)];
        if multi_miller_loop(&terms).final_exponentiation() != Gt::identity() {
            return Err(MISMATCH);
        }
        Ok(())
    }

    fn transcript(&self, name: &str, points: &[&PointBytes]) -> Transcript {
        let start = Transcript::new(&self.id, name);
        let parts = points.iter();
        parts.fold(start, |transcript, point| transcript.with(*point))
    }
}

/// A block's accumulator is that of its elements.
pub(super) struct Block<'a> {
    pub(super) inner: Hash,
    pub(super) accumulator: &'a PointBytes,
    pub(super) elements: Vec<&'a [u8]>,
    pub(super) quotient: &'a PointBytes,
}

impl Equation for Block<'_> {
    fn check(&self, log: &Log) -> Result<(), Refusal> {
        let transcript = Transcript::new(&log.id, "aad: block").with(&self.inner);
        let (z, _) = transcript.with(self.accumulator).challenge();
        let (bits, key_bits) = (log.scheme.bits, log.scheme.key_bits);
        let value: Scalar = if log.scheme.has_frontier {
            let roots = self.elements.iter();
            let roots = roots.flat_map(|one| (1..=bits).map(|length| prefix_scalar(one, length)));
            roots.map(|root| z - root).product()
        } else {
            let roots = self.elements.iter().map(|one| prefix_scalar(one, key_bits));
            roots.map(|root| z - root).product()
        };
        let commitment = constant(-value) + point(self.accumulator)?;
        log.claim(commitment, z, self.quotient)
    }
}

/// A node's polynomial is the product of its children's.
pub(super) struct Product<'a> {
    pub(super) inner: Hash,
    pub(super) left: &'a PointBytes,
    pub(super) right: &'a PointBytes,
    pub(super) parent: &'a PointBytes,
    pub(super) value: &'a Hash,
    pub(super) quotient: &'a PointBytes,
}

impl Equation for Product<'_> {
    fn check(&self, log: &Log) -> Result<(), Refusal> {
        let transcript = Transcript::new(&log.id, "aad: product").with(&self.inner);
        let transcript = transcript
            .with(self.left)
            .with(self.right)
            .with(self.parent);
        let (z, transcript) = transcript.challenge();
        let (g, _) = transcript.with(self.value).challenge();
        let a = number(self.value)?;
        let first = constant(-a) + point(self.left)?;
        let second = point(self.right)? * -a + point(self.parent)?;
        log.claim(first + second * g, z, self.quotient)
    }
}

/// How often `hf(K)` is a root of a tree's polynomial.
pub(super) struct Counted<'a> {
    pub(super) accumulator: &'a PointBytes,
    pub(super) half: Hash,
    pub(super) found: u32,
    pub(super) division: Division<'a>,
    pub(super) value: &'a Hash,
    pub(super) quotient: &'a PointBytes,
}

/// What is left of the polynomial without these roots.
pub(super) enum Division<'a> {
    None,
    /// `R`.
    Once(&'a PointBytes),
    /// `Q` and the quotient at a random point.
    Often(&'a PointBytes, &'a PointBytes),
}

impl Counted<'_> {
    /// The commitment to what is left, which the tree's is shown to be a multiple of.
    fn rest(&self, log: &Log, root: Scalar) -> Result<G1Projective, Refusal> {
        let tree = G1Projective::from(point(self.accumulator)?);
        match self.division {
            Division::None => Ok(tree),
            Division::Once(rest) => {
                log.claim(tree, root, rest)?;
                Ok(point(rest)?.into())
            }
            Division::Often(rest, quotient) => {
                let mut encoded = root.to_bytes();
                encoded.reverse();
                let transcript = log.transcript("aad: counted", &[self.accumulator, rest]);
                let transcript = transcript.with(&encoded).with(&self.found.to_be_bytes());
                let (z, _) = transcript.challenge();
                let divisor: Scalar = (0..self.found).map(|_| z - root).product();
                let rest = G1Projective::from(point(rest)?);
                log.claim(tree - rest * divisor, z, quotient)?;
                Ok(rest)
            }
        }
    }
}

impl Equation for Counted<'_> {
    fn check(&self, log: &Log) -> Result<(), Refusal> {
        let root = prefix_scalar(&self.half, log.scheme.key_bits);
        let y = number(self.value)?;
        if y == Scalar::zero() {
            return Err("an opening to zero");
        }
        let rest = self.rest(log, root)?;
        log.claim(rest - constant(y), root, self.quotient)
    }
}

/// A tree's polynomial has no root in common with that of its frontier.
pub(super) struct Disjoint<'a> {
    pub(super) accumulator: &'a PointBytes,
    pub(super) frontier: &'a PointBytes,
    pub(super) coefficients: [&'a PointBytes; 2],
    pub(super) values: [&'a Hash; 2],
    pub(super) quotient: &'a PointBytes,
}

impl Equation for Disjoint<'_> {
    fn check(&self, log: &Log) -> Result<(), Refusal> {
        let [first, second] = self.coefficients;
        let points = [self.accumulator, self.frontier, first, second];
        let (z, transcript) = log.transcript("aad: disjoint", &points).challenge();
        let [x, y] = self.values;
        let (g, _) = transcript.with(x).with(y).challenge();
        let (x, y) = (number(x)?, number(y)?);
        let bezout = point(self.accumulator)? * x + point(self.frontier)? * y;
        let bezout = bezout - G1Affine::generator();
        let first = constant(-x) + point(first)?;
        let second = constant(-y) + point(second)?;
        log.claim(first + second * g + bezout * g.square(), z, self.quotient)
    }
}

/// A frontier node's polynomial is the product of its children's.
pub(super) struct FrontierProduct<'a> {
    pub(super) parent: &'a PointBytes,
    pub(super) children: Vec<&'a PointBytes>,
    /// Of all children but the last.
    pub(super) values: Vec<&'a Hash>,
    pub(super) quotient: &'a PointBytes,
}

impl Equation for FrontierProduct<'_> {
    fn check(&self, log: &Log) -> Result<(), Refusal> {
        let transcript = log.transcript("aad: frontier product", &self.children);
        let (z, mut transcript) = transcript.with(self.parent).challenge();
        for value in &self.values {
            transcript = transcript.with(*value);
        }
        let (g, _) = transcript.challenge();
        let mut commitment = G1Projective::identity();
        let (mut power, mut product) = (Scalar::one(), Scalar::one());
        for (child, value) in self.children.iter().zip(&self.values) {
            let value = number(value)?;
            commitment += (constant(-value) + point(child)?) * power;
            power *= g;
            product *= value;
        }
        let last = point(self.children[self.values.len()])?;
        commitment += (last * -product + point(self.parent)?) * power;
        log.claim(commitment, z, self.quotient)
    }
}

/// A prefix of the key half is in a group.
pub(super) struct Prefix<'a> {
    pub(super) group: &'a PointBytes,
    pub(super) string: Vec<u8>,
    pub(super) length: usize,
    pub(super) quotient: &'a PointBytes,
}

impl Equation for Prefix<'_> {
    fn check(&self, log: &Log) -> Result<(), Refusal> {
        let root = prefix_scalar(&self.string, self.length);
        log.claim(point(self.group)?.into(), root, self.quotient)
    }
}

/// All strings of a chunk are in a group.
pub(super) struct Chunk<'a> {
    pub(super) group: &'a PointBytes,
    pub(super) rest: &'a PointBytes,
    pub(super) strings: Vec<Scalar>,
    pub(super) quotient: &'a PointBytes,
}

impl Equation for Chunk<'_> {
    fn check(&self, log: &Log) -> Result<(), Refusal> {
        let encoded = self.strings.iter().map(Scalar::to_bytes);
        let encoded: Vec<u8> = encoded.flat_map(|one| one.into_iter().rev()).collect();
        let transcript = log.transcript("aad: chunk", &[self.group, self.rest]);
        let (z, _) = transcript.with(&encoded).challenge();
        let value: Scalar = self.strings.iter().map(|string| z - string).product();
        let commitment = point(self.rest)? * -value + point(self.group)?;
        log.claim(commitment, z, self.quotient)
    }
}
