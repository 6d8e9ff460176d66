//! A second verifier of logs, written from the specification alone, and how far it agrees with the first.
//!
//! It shares no code with the crates of this workspace: SHA-256 and another implementation of BLS12-381 are all that it
//! builds on. Each equation is checked by itself with a product of two pairings, where the product combines all of them with
//! random coefficients. Block level, bits of elements and of key halves are parameters here, so that the scheme that only
//! vectors use is one more line.
//!
//! [`hashing`] and [`shape`]: sections 3 to 5 of the specification. [`reader`]: layouts. [`equations`] and [`evidence`]: sections 6
//! to 8. [`trees`] and [`messages`]: sections 9 and 10. [`agreement`]: verdicts on vectors. [`mutations`]: verdicts on messages that
//! were changed by [`mutator`].

mod agreement;
mod equations;
mod evidence;
mod hashing;
mod messages;
mod mutations;
mod mutator;
mod reader;
mod shape;
mod trees;

use bls12_381::{G2Affine, G2Prepared};
use hashing::{Hash, hash};
use shape::Shape;

/// Why a message is refused.
pub(crate) type Refusal = &'static str;

/// What distinguishes schemes.
#[derive(Clone, Copy, Debug)]
struct Scheme {
    number: u16,
    /// Entries have values.
    has_values: bool,
    /// Elements stand for all their prefixes.
    has_frontier: bool,
    /// `L`: the bits of an element.
    bits: usize,
    /// `LK`: the bits of the key half.
    key_bits: usize,
    /// `T`.
    block_level: u32,
    /// Members are elements as they are, without a hash.
    is_raw: bool,
}

impl Scheme {
    /// The scheme with this number: the four, or the one of the paper's figure 4.
    fn numbered(number: u16) -> Self {
        let dictionary = Self {
            number,
            has_values: true,
            has_frontier: number & 0xf == 1,
            bits: 512,
            key_bits: 256,
            block_level: 3,
            is_raw: false,
        };
        let set = Self {
            has_values: false,
            bits: 256,
            ..dictionary
        };
        match number {
            0x0301 | 0x0302 => dictionary,
            0x0311 | 0x0312 => set,
            0x03f1 => Self {
                bits: 4,
                key_bits: 4,
                block_level: 0,
                is_raw: true,
                ..set
            },
            other => panic!("{other:04x} is no scheme of logs"),
        }
    }

    const fn element_bytes(&self) -> usize {
        self.bits.div_ceil(8)
    }
}

/// What everything is verified for: one log, whose parameters a client has reason to trust.
#[derive(Debug)]
pub(crate) struct Log {
    scheme: Scheme,
    shape: Shape,
    id: Hash,
    secret_in_g2: G2Prepared,
    generator: G2Prepared,
}

/// What a log is made from.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Setup<'a> {
    pub(crate) scheme: u16,
    pub(crate) dictionary: [u8; 16],
    pub(crate) top_level: u8,
    pub(crate) deferred: u8,
    pub(crate) secret_in_g2: &'a [u8; 96],
    pub(crate) purpose: &'a [u8],
}

impl Log {
    pub(crate) fn new(setup: &Setup<'_>) -> Self {
        let scheme = Scheme::numbered(setup.scheme);
        let number = setup.scheme.to_be_bytes();
        let tag = "pad/v1/accumulator-id";
        let secret: &[u8] = setup.secret_in_g2;
        // Parameters are those of the bilinear accumulator, whichever scheme uses them.
        let fingerprint = hash(tag, &[&[1, 2], b"parameters", secret, setup.purpose]);
        let block_level = u8::try_from(scheme.block_level).unwrap();
        let shape = [block_level, setup.top_level, setup.deferred];
        let id = hash(tag, &[&number, &fingerprint, &setup.dictionary, &shape]);
        let secret_in_g2 = G2Affine::from_compressed(setup.secret_in_g2).unwrap();
        Self {
            shape: Shape {
                block_level: scheme.block_level,
                top_level: setup.top_level.into(),
                is_deferred: setup.deferred == 1,
            },
            scheme,
            id,
            secret_in_g2: secret_in_g2.into(),
            generator: G2Affine::generator().into(),
        }
    }
}
