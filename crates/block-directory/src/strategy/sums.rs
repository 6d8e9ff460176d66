//! Strategies 3 to 5: a block's summary is the sum of its elements modulo `2^1600`, or their
//! product modulo a safe prime.
//!
//! The primes are the moduli of group 2 of RFC 2409 and group 15 of RFC 3526. Their middle bits are
//! bits of pi: they are nothing-up-my-sleeve numbers, without a special form that would make
//! logarithms cheap.

use alloc::vec::Vec;
use core::fmt::Debug;

use crypto_bigint::{
    Odd, U1024, U3072, Uint, const_monty_params,
    modular::{ConstMontyForm, ConstMontyParams},
    nlimbs,
};
use pad_core::{Suite, internals::Domain};

use super::{
    expand::{Expansion, Least, expand},
    group::Combination,
};

/// Numbers of 1 600 bits.
type U1600 = Uint<{ nlimbs(1600) }>;

/// The group of sums modulo `2^1600`. Every number below `2^1600` is an element, and carries are
/// dropped.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AdSum1600;

impl Combination for AdSum1600 {
    const STRATEGY: u8 = 3;
    const NAME: &'static str = "directory-ad-hash-1600";
    type Value = U1600;

    fn neutral() -> U1600 {
        U1600::ZERO
    }

    fn element(input: &[&[u8]]) -> Option<U1600> {
        let expansion = Expansion {
            constant: Domain::BlockAd1600.block(),
            bits: U1600::BITS,
            least: Least::Zero,
            modulus: None,
        };
        number(&expand(&expansion, input)?.number)
    }

    fn combine(value: &mut U1600, other: &U1600) {
        *value = value.wrapping_add(other);
    }

    fn remove(value: &mut U1600, other: &U1600) {
        *value = value.wrapping_sub(other);
    }

    fn summary_bytes<S: Suite>() -> usize {
        U1600::BYTES
    }

    fn summary<S: Suite>(value: &U1600) -> Vec<u8> {
        value.to_be_bytes().as_ref().to_vec()
    }

    fn is_summary(_: &[u8]) -> bool {
        true
    }
}

/// Decodes a number from big-endian bytes. Returns `None` unless the number of bytes is right.
fn number<const LIMBS: usize>(bytes: &[u8]) -> Option<Uint<LIMBS>> {
    (bytes.len() == Uint::<LIMBS>::BYTES).then(|| Uint::from_be_slice(bytes))
}

/// Defines the group of products modulo a prime, for one strategy.
macro_rules! products {
    (
        $name:ident, $doc:literal, $strategy:literal, $label:literal,
        $domain:ident, $modulus:ident, $integer:ty
    ) => {
        #[doc = $doc]
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
        pub struct $name;

        impl Combination for $name {
            const STRATEGY: u8 = $strategy;
            const NAME: &'static str = $label;
            type Value = ConstMontyForm<$modulus, { <$integer>::LIMBS }>;

            fn neutral() -> Self::Value {
                Self::Value::ONE
            }

            fn element(input: &[&[u8]]) -> Option<Self::Value> {
                let modulus = modulus::<$modulus, { <$integer>::LIMBS }>().to_be_bytes();
                let expansion = Expansion {
                    constant: Domain::$domain.block(),
                    bits: <$integer>::BITS,
                    least: Least::One,
                    modulus: Some(modulus.as_ref()),
                };
                let number = number(&expand(&expansion, input)?.number)?;
                Some(ConstMontyForm::new(&number))
            }

            fn combine(value: &mut Self::Value, other: &Self::Value) {
                *value = value.mul(other);
            }

            /// Multiplies `value` by the inverse of `other`. Elements have inverses. An `other`
            /// without one, which means corruption, makes the result zero, which is not a summary.
            fn remove(value: &mut Self::Value, other: &Self::Value) {
                let inverse = other.invert_vartime().into_option();
                *value = value.mul(&inverse.unwrap_or(Self::Value::ZERO));
            }

            fn summary_bytes<S: Suite>() -> usize {
                <$integer>::BYTES
            }

            fn summary<S: Suite>(value: &Self::Value) -> Vec<u8> {
                value.retrieve().to_be_bytes().as_ref().to_vec()
            }

            fn is_summary(bytes: &[u8]) -> bool {
                let number = number::<{ <$integer>::LIMBS }>(bytes);
                let modulus = modulus::<$modulus, { <$integer>::LIMBS }>();
                number.is_some_and(|number| number != Uint::ZERO && number < *modulus)
            }
        }
    };
}

products!(
    MuProduct1024,
    "Products modulo a prime of 1 024 bits. Weak: for comparisons alone.",
    4,
    "directory-mu-hash-1024",
    BlockMu1024,
    Prime1024,
    U1024
);
products!(
    MuProduct3072,
    "Products modulo a prime of 3 072 bits.",
    5,
    "directory-mu-hash-3072",
    BlockMu3072,
    Prime3072,
    U3072
);

const fn modulus<M: ConstMontyParams<LIMBS>, const LIMBS: usize>() -> &'static Odd<Uint<LIMBS>> {
    M::PARAMS.modulus()
}

const_monty_params!(Prime1024, U1024, PRIME_1024, "The modulus of strategy 4.");
const_monty_params!(Prime3072, U3072, PRIME_3072, "The modulus of strategy 5.");

/// The prime of strategy 4, in hexadecimal:
/// `2^1024 - 2^960 - 1 + 2^64 (floor(2^894 pi) + 129 093)`.
const PRIME_1024: &str = concat!(
    "ffffffffffffffffc90fdaa22168c234c4c6628b80dc1cd1",
    "29024e088a67cc74020bbea63b139b22514a08798e3404dd",
    "ef9519b3cd3a431b302b0a6df25f14374fe1356d6d51c245",
    "e485b576625e7ec6f44c42e9a637ed6b0bff5cb6f406b7ed",
    "ee386bfb5a899fa5ae9f24117c4b1fe649286651ece65381ffffffffffffffff",
);
/// The prime of strategy 5, in hexadecimal:
/// `2^3072 - 2^3008 - 1 + 2^64 (floor(2^2942 pi) + 1 690 314)`.
const PRIME_3072: &str = concat!(
    "ffffffffffffffffc90fdaa22168c234c4c6628b80dc1cd1",
    "29024e088a67cc74020bbea63b139b22514a08798e3404dd",
    "ef9519b3cd3a431b302b0a6df25f14374fe1356d6d51c245",
    "e485b576625e7ec6f44c42e9a637ed6b0bff5cb6f406b7ed",
    "ee386bfb5a899fa5ae9f24117c4b1fe649286651ece45b3d",
    "c2007cb8a163bf0598da48361c55d39a69163fa8fd24cf5f",
    "83655d23dca3ad961c62f356208552bb9ed529077096966d",
    "670c354e4abc9804f1746c08ca18217c32905e462e36ce3b",
    "e39e772c180e86039b2783a2ec07a28fb5c55df06f4c52c9",
    "de2bcbf6955817183995497cea956ae515d2261898fa0510",
    "15728e5a8aaac42dad33170d04507a33a85521abdf1cba64",
    "ecfb850458dbef0a8aea71575d060c7db3970f85a6e1e4c7",
    "abf5ae8cdb0933d71e8c94e04a25619dcee3d2261ad2ee6b",
    "f12ffa06d98a0864d87602733ec86a64521f2b18177b200c",
    "bbe117577a615d6c770988c0bad946e208e24fa074e5ab31",
    "43db5bfce0fd108e4b82d120a93ad2caffffffffffffffff",
);
