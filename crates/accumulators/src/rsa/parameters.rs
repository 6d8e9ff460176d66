//! Parameters and public key of the RSA accumulator.

use std::sync::Arc;

use pad_core::{DecodeError, Sha256Ed25519, Suite, Workers, internals::Domain};
use rsa_group::{
    exponentiation::product,
    group::{ModularGroup, Residue, ResidueGroup},
    modulus::{self, write_fixed},
    powers_table::PowersTable,
};
use rug::Integer;

use super::representative::RepresentativeRule;
use crate::{
    element::{AccumulatorId, ElementDigest, SchemeId},
    scheme::{self, PublicKey},
    wire::{self, Reader, Wire},
};

#[cfg(test)]
mod tests;

/// The number that identifies the RSA scheme in the ids of accumulators and in encoded messages.
pub(crate) const SCHEME: SchemeId = scheme::RSA;

/// Accepted lengths of a modulus in bits.
const MODULUS_BITS: core::ops::RangeInclusive<u32> = 2048..=8192;

/// The number RSA-2048 of the RSA Factoring Challenge, in decimal digits.
const RSA_2048: &str = "\
    251959084756578934940271832400483985714292821262040320277771378360436620207075955562640185\
    258807844069182906412495150821892985591491761845028084891200728449926873928072877767359714\
    183472702618963750149718246911650776133798590957000973304597488084284017974291006424586918\
    171951187461215151726546322822168699875491824224336372590851418654620435767984233871847744\
    479207399342365848238242811981638150106748104516603773060562016196762561338441436038339044\
    149526344321901146575444541784240209246165157233507787077498171257724679629263863563732899\
    12154831438167899885040445364023527381951378636564391212010397122822120720357";

/// A modulus, the base derived from it, and the rule of prime representatives.
///
/// The modulus is trusted, since a party that knows its factors can forge every proof. An author
/// that generated its own modulus knows them by design.
#[derive(Debug)]
pub struct Parameters {
    group: ResidueGroup,
    base: Residue,
    rule: RepresentativeRule,
    fingerprint: [u8; 32],
}

impl Parameters {
    /// Creates parameters over `modulus`.
    ///
    /// # Errors
    /// [`DecodeError::ParametersInvalid`] if the modulus is even, a perfect power, prime, or has
    /// fewer than 2048 or more than 8192 bits. A check for two large prime factors is impossible,
    /// so the modulus must come from a trusted source.
    pub fn new(modulus: Integer, rule: RepresentativeRule) -> Result<Self, DecodeError> {
        modulus::require_usable(&modulus, MODULUS_BITS)?;
        let group = ResidueGroup::new(modulus);
        let fingerprint = fingerprint(&group, rule);
        let base = base(&group, fingerprint);
        Ok(Self {
            group,
            base,
            rule,
            fingerprint,
        })
    }

    /// Creates parameters over RSA-2048 of the RSA Factoring Challenge.
    ///
    /// RSA Laboratories generated this modulus in 1991 and stated that its factors were destroyed.
    /// They have never been published. There is no secret key.
    ///
    /// # Errors
    /// None in practice; the signature matches [`Parameters::new`].
    pub fn rsa_2048(rule: RepresentativeRule) -> Result<Self, DecodeError> {
        let modulus = Integer::from_str_radix(RSA_2048, 10);
        Self::new(modulus.map_err(|_| DecodeError::ParametersInvalid)?, rule)
    }

    /// Returns the modulus `N`.
    pub const fn modulus(&self) -> &Integer {
        self.group.modulus()
    }

    /// Returns the base `g`: a square up to sign, derived from a hash of the modulus and the rule
    /// of representatives.
    pub const fn base(&self) -> &Residue {
        &self.base
    }

    pub(crate) const fn group(&self) -> &ResidueGroup {
        &self.group
    }

    /// Returns the rule that maps elements to primes.
    pub const fn rule(&self) -> RepresentativeRule {
        self.rule
    }
}

/// Computes the fingerprint: a hash of the modulus and the rule.
fn fingerprint(group: &ResidueGroup, rule: RepresentativeRule) -> [u8; 32] {
    let mut modulus = Vec::with_capacity(group.length());
    write_fixed(group.modulus(), group.length(), &mut modulus);
    let scheme = SCHEME.0.to_be_bytes();
    let parts: [&[u8]; 4] = [&scheme, b"parameters", &[rule.id()], &modulus];
    Sha256Ed25519::hash(Domain::AccumulatorId, &parts).0
}

/// Derives the base: the square of a number expanded from the fingerprint.
///
/// If `N` is a product of safe primes, a square lies in a subgroup without elements of small order.
/// A hashed number has no known root, and no known relation to another base.
fn base(group: &ResidueGroup, fingerprint: [u8; 32]) -> Residue {
    /// Length of the expanded number: 128 bits more than the largest modulus, so that its remainder
    /// is close to uniform.
    const BYTES: usize = 8192 / 8 + 16;
    let bytes = ElementDigest::from_bytes(fingerprint).expand::<BYTES>();
    let root = modulus::read(&bytes) % group.modulus();
    group.canonical(group.square(&root))
}

/// Layout: rule (1 byte), length of the modulus in bytes (2), modulus.
impl Wire for Parameters {
    type Context = ();
    const KIND: u8 = wire::KIND_PARAMETERS;
    const SCHEME: u16 = SCHEME.0;

    fn write(&self, bytes: &mut Vec<u8>) {
        let length = u16::try_from(self.group.length()).unwrap_or(u16::MAX);
        bytes.push(self.rule.id());
        bytes.extend_from_slice(&length.to_be_bytes());
        write_fixed(self.modulus(), self.group.length(), bytes);
    }

    fn read((): &(), reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        let [rule] = reader.array()?;
        let rule = RepresentativeRule::from_id(rule).ok_or(DecodeError::ParametersInvalid)?;
        let length = usize::from(reader.u16()?);
        let digits = reader.take(length)?;
        if digits.first() == Some(&0) {
            return Err(DecodeError::NonCanonical);
        }
        Self::new(modulus::read(digits), rule)
    }
}

/// The public key of an RSA accumulator: [`Parameters`] and the label that names the accumulator.
/// Cheap to clone.
#[derive(Clone, Debug)]
pub struct RsaPublicKey {
    parameters: Arc<Parameters>,
    id: AccumulatorId,
    powers: Option<PowersTable>,
}

impl RsaPublicKey {
    /// Creates the key of the accumulator called `label` over these parameters.
    pub fn new(parameters: Arc<Parameters>, label: &[u8]) -> Self {
        let id = AccumulatorId::derive(SCHEME, &parameters.fingerprint, label);
        Self {
            parameters,
            id,
            powers: None,
        }
    }

    /// Returns the key with a table of powers of the base, which speeds up accumulation.
    pub(super) fn with_table(self, powers: PowersTable) -> Self {
        Self {
            powers: Some(powers),
            ..self
        }
    }

    /// Returns the parameters of the key: modulus, base and rule of representatives.
    pub fn parameters(&self) -> &Parameters {
        &self.parameters
    }

    pub(crate) fn group(&self) -> &ResidueGroup {
        self.parameters.group()
    }

    /// Reads a residue from a message, and checks that it is invertible and in its one canonical
    /// form.
    ///
    /// Cost: one gcd with the modulus.
    ///
    /// # Errors
    /// The errors of [`ResidueGroup::read`].
    pub(crate) fn read_residue(&self, reader: &mut Reader<'_>) -> Result<Residue, DecodeError> {
        let group = self.group();
        group.read(reader.take(group.length())?)
    }

    /// Like [`RsaPublicKey::read_residue`], but rejects 1, for which every element would have a
    /// witness.
    ///
    /// # Errors
    /// The errors of [`ResidueGroup::read_but_one`].
    pub(crate) fn read_but_one(&self, reader: &mut Reader<'_>) -> Result<Residue, DecodeError> {
        let group = self.group();
        group.read_but_one(reader.take(group.length())?)
    }

    /// Raises the base `g` to the product of `primes`.
    ///
    /// Cost: one [`RsaPublicKey::power`] with an exponent as long as the product.
    pub(crate) fn power_of_base<'a>(
        &self,
        primes: impl IntoIterator<Item = &'a Integer>,
        workers: &Workers,
    ) -> Residue {
        let power = self.power(&product(primes, workers), workers);
        self.group().canonical(power)
    }

    /// Raises the base `g` to a nonnegative exponent.
    ///
    /// Cost: a squaring for each bit. If the table of published powers is long enough for the
    /// exponent, a product for each dozen bits instead.
    pub(crate) fn power(&self, exponent: &Integer, workers: &Workers) -> Integer {
        let group = self.group();
        self.powers
            .as_ref()
            .and_then(|powers| powers.power(group, exponent, workers))
            .unwrap_or_else(|| group.power(self.parameters.base.as_integer(), exponent))
    }
}

impl PublicKey for RsaPublicKey {
    fn id(&self) -> AccumulatorId {
        self.id
    }

    fn with_label(&self, label: &[u8]) -> Self {
        Self {
            powers: self.powers.clone(),
            ..Self::new(Arc::clone(&self.parameters), label)
        }
    }

    fn capacity(&self) -> Option<usize> {
        None
    }
}
