//! What changes mean for exponents.

#![deny(
    clippy::indexing_slicing,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic
)]

use core::cmp::Ordering;

use pad_core::Workers;
use rsa_group::{
    exponentiation::{multi_power, product},
    group::{ModularGroup, ResidueGroup},
};
use rug::{Complete, Integer};

use crate::{
    change::Change,
    error::AccumulateError,
    rsa::{Rsa, RsaElement, RsaValue},
};

/// What consecutive changes did in the end: `before = u^removed` and `after = u^added`, for a `u`
/// that nobody has to know, since the two exponents are coprime.
pub(super) struct Transition<'a> {
    before: &'a RsaValue,
    after: &'a RsaValue,
    /// The product of the primes that were there before, and not after.
    pub(super) removed: Integer,
    /// The product of those that are there after, and were not before.
    pub(super) added: Integer,
}

impl<'a> Transition<'a> {
    /// The transition of all these changes, or `None` if there are none.
    ///
    /// What is both added and removed cancels: every change says that `before^added = after^removed`,
    /// and so does their chain, with products.
    pub(super) fn across(changes: &'a [Change<Rsa>]) -> Option<Self> {
        let product_of = |elements: fn(&Change<Rsa>) -> &Vec<RsaElement>| {
            let elements = changes.iter().flat_map(elements);
            product(elements.map(RsaElement::prime), &Workers::sequential())
        };
        let removed = product_of(|change| &change.removed);
        let added = product_of(|change| &change.added);
        let common = removed.gcd_ref(&added).complete();
        Some(Self {
            before: &changes.first()?.before,
            after: &changes.last()?.after,
            removed: removed.div_exact(&common),
            added: added.div_exact(&common),
        })
    }

    /// `u^exponent`, for any sign of the exponent: `before^x * after^y` with
    /// `x * removed + y * added = exponent`.
    ///
    /// Cost: one simultaneous power with exponents as long as `added` and as `removed`.
    ///
    /// # Errors
    /// None, if the changes are those of sets.
    pub(super) fn power(
        &self,
        group: &ResidueGroup,
        exponent: Integer,
    ) -> Result<Integer, AccumulateError> {
        let unit = inverse_modulo(&self.removed, &self.added)?;
        let x = (&exponent * unit).modulo(&self.added);
        let y = (exponent - (&x * &self.removed).complete()).div_exact(&self.added);
        let (before, after) = (self.before.residue(), self.after.residue());
        let bases = [(before.as_integer(), x), (after.as_integer(), y)];
        Ok(product_of_signed_powers(group, bases))
    }
}

/// `left^x * right^y`, for exponents of any sign.
pub(in crate::rsa) fn product_of_signed_powers(
    group: &ResidueGroup,
    powers: [(&Integer, Integer); 2],
) -> Integer {
    let [left, right] = powers.map(|(base, exponent)| {
        if exponent.cmp0() == Ordering::Less {
            (group.inverse(base), -exponent)
        } else {
            (base.clone(), exponent)
        }
    });
    multi_power(group, &[left.0, right.0], &[left.1, right.1])
}

/// The inverse of a product of representatives. There is none only if the representative is one of
/// the factors.
pub(super) fn inverse_modulo(
    product: &Integer,
    modulus: &Integer,
) -> Result<Integer, AccumulateError> {
    product
        .invert_ref(modulus)
        .map(Integer::from)
        .ok_or(AccumulateError::ElementPresent)
}
