//! The effect of changes of a set on the exponent of its RSA accumulator value.

use core::cmp::Ordering;

use pad_core::Workers;
use rsa_group::{
    exponentiation::multi_power,
    group::{ModularGroup, ResidueGroup},
};
use rug::{Complete, Integer};

use crate::{
    change::Change,
    error::AccumulateError,
    rsa::{Rsa, RsaValue, dynamic::NetChange},
};

/// The net effect of consecutive changes on the accumulator value: `before = u^removed` and
/// `after = u^added` for some `u`.
///
/// `u` is not stored. Because `removed` and `added` are coprime, powers of `u` are computed from
/// `before` and `after`.
pub(super) struct Transition<'a> {
    before: &'a RsaValue,
    after: &'a RsaValue,
    /// Product of the primes that are in the set before the changes and not after.
    pub(super) removed: Integer,
    /// Product of the primes that are in the set after the changes and not before.
    pub(super) added: Integer,
}

impl<'a> Transition<'a> {
    /// Combines all changes into one transition, or returns `None` if there are none.
    ///
    /// Elements both added and removed cancel. Every single change satisfies
    /// `before^added = after^removed`. So do all changes together, with the products of their
    /// exponents.
    pub(super) fn across(changes: &'a [Change<Rsa>]) -> Option<Self> {
        let NetChange { removed, added, .. } = NetChange::new(changes, &Workers::sequential());
        Some(Self {
            before: &changes.first()?.before,
            after: &changes.last()?.after,
            removed,
            added,
        })
    }

    /// Computes `u^exponent` for an exponent of any sign, as `before^x * after^y` with
    /// `x * removed + y * added = exponent`.
    ///
    /// Cost: one simultaneous power with exponents as long as `added` and as `removed`.
    ///
    /// # Errors
    /// [`AccumulateError::ElementPresent`] if `removed` and `added` have a common factor. The
    /// changes of a set exclude this, so the list of changes is false.
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

/// Computes `left^x * right^y` for exponents of any sign.
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

/// Computes `1 / product` modulo `modulus`.
///
/// # Errors
/// [`AccumulateError::ElementPresent`] if `product` and `modulus` have a common factor.
pub(super) fn inverse_modulo(
    product: &Integer,
    modulus: &Integer,
) -> Result<Integer, AccumulateError> {
    let inverse = product.invert_ref(modulus).map(Integer::from);
    inverse.ok_or(AccumulateError::ElementPresent)
}
