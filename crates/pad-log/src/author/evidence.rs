//! The prover's side of counted evidence, which proves how many elements of a key a tree contains:
//! see [`crate::counted`].

use ark_bls12_381::Fr;
use ark_ff::{Field, Zero};
use bls12::scalar;
use pad_accumulators::{AccumulateError, internals::polynomial};

use super::forest::Forest;
use crate::{
    certificate::PointBytes,
    counted::challenge,
    element::{HALF, first_half},
    prefix::{roots_of, scalar_of_prefix},
    scheme::Scheme,
    shape::Address,
};

impl<S: Scheme> Forest<S> {
    /// Appends the evidence that a tree contains exactly `count` elements that begin with
    /// `beginning`.
    ///
    /// Cost: one sum with a term for each element of the tree. Two such sums for `count = 1`, three
    /// for a larger `count`.
    ///
    /// # Errors
    /// Never fails for a tree whose accumulator has been computed.
    pub(crate) fn append_counted_evidence(
        &self,
        tree: Address,
        (beginning, count): (&[u8; HALF], u32),
        bytes: &mut Vec<u8>,
    ) -> Result<(), AccumulateError> {
        let key = scalar_of_prefix(beginning, S::KEY_BITS);
        let polynomial = self.polynomial(tree);
        let rest = match count {
            0 => polynomial.to_vec(),
            count if count <= FEW => divided(&polynomial, key, count),
            _ => self.others(tree, beginning),
        };
        if count > 0 {
            let committed = self.commit(&rest)?;
            bytes.extend_from_slice(&committed);
            if count > 1 {
                let accumulator = &self.node(tree).accumulator;
                let z = challenge(self.id(), accumulator, &committed, (key, count));
                let power = (z - key).pow([u64::from(count)]);
                let quotient = self.commit_division(polynomial.to_vec(), (&rest, power), z)?;
                bytes.extend_from_slice(&quotient);
            }
        }
        let (quotient, value) = polynomial::divide_by_factor(&rest, -key);
        debug_assert!(!value.is_zero(), "the key divides no more often");
        bytes.extend_from_slice(&scalar::encode(&value));
        bytes.extend_from_slice(&self.commit(&quotient)?);
        Ok(())
    }

    /// Computes the polynomial whose roots belong to all elements of a tree that do not begin with
    /// `beginning`.
    fn others(&self, tree: Address, beginning: &[u8; HALF]) -> Vec<Fr> {
        let elements = self.elements_of(tree).chunks(S::element_bytes());
        let others = elements.filter(|element| first_half(element) != *beginning);
        let negated: Vec<Fr> = others.flat_map(roots_of::<S>).map(|root| -root).collect();
        polynomial::product(&negated, self.workers())
    }

    pub(super) fn commit(&self, polynomial: &[Fr]) -> Result<PointBytes, AccumulateError> {
        let parameters = self.log().setup().parameters();
        parameters.commit(polynomial, self.workers())
    }

    /// Commits to the quotient that proves, at the challenge `z`, that `rest` divides `polynomial`.
    /// The other factor of `polynomial` has the value `value` at `z`.
    pub(super) fn commit_division(
        &self,
        mut polynomial: Vec<Fr>,
        (rest, value): (&[Fr], Fr),
        z: Fr,
    ) -> Result<PointBytes, AccumulateError> {
        for (sum, part) in polynomial.iter_mut().zip(rest) {
            *sum -= value * part;
        }
        let (quotient, remainder) = polynomial::divide_by_factor(&polynomial, -z);
        debug_assert!(remainder.is_zero(), "the division has no remainder");
        self.commit(&quotient)
    }
}

/// Divides the polynomial by `(X - key)^times`. The division must have no remainder.
fn divided(polynomial: &[Fr], key: Fr, times: u32) -> Vec<Fr> {
    let mut rest = polynomial.to_vec();
    for _ in 0..times {
        let (quotient, remainder) = polynomial::divide_by_factor(&rest, -key);
        debug_assert!(
            remainder.is_zero(),
            "an element's root is a root of its tree"
        );
        rest = quotient;
    }
    rest
}

/// Maximum number of elements of a key for which dividing the tree's polynomial repeatedly is
/// cheaper than a new product over the other elements.
const FEW: u32 = 64;
