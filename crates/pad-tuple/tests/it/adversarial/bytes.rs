//! All changes of a proof's bytes. Only bytes that an honest server could send verify, even if the
//! answer stays the same.

use super::*;
use pad_conformance::{
    pad::{Refusal, verify},
    soak,
};

/// Number of changes tried for each byte.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Effort {
    /// All 255 changes, or a fifth of them in `make test`; for bytes of signatures, the eight that
    /// flip one bit.
    EveryByte,
    /// The eight that flip one bit.
    EveryBit,
    /// One flipped bit, at a position that varies with the byte.
    OneBit,
}

impl Effort {
    fn changes(self, position: usize, byte: u8) -> Vec<u8> {
        match self {
            Self::EveryByte => {
                let changes = (1..=u8::MAX).step_by(soak::size(5, 1));
                changes.map(|bits| byte ^ bits).collect()
            }
            Self::EveryBit => (0..8).map(|bit| byte ^ 1 << bit).collect(),
            Self::OneBit => vec![byte ^ 1 << (position % 8)],
        }
    }
}

/// An honest message and its query.
struct Honest<'a, D: Design<S>> {
    target: &'a Target<D>,
    message: Vec<u8>,
    version: u64,
    asked: Key,
}

impl<D: Design<S, Secret: TestSecret>> Honest<'_, D> {
    fn verify(&self, message: &[u8]) -> Result<Answer, Refusal> {
        let expectation = self.target.expectation(self.version);
        let lookup = verify::<TupleProof<S, D>>(message, &expectation, &self.asked)?;
        Ok(lookup.answer)
    }

    fn refused(&self, message: &[u8], what: &str) -> Refusal {
        match self.verify(message) {
            Err(refusal) => refusal,
            Ok(answer) => {
                let truth = self.target.oracle.at(Version::new(self.version));
                let kind = if answer.value() == truth.get(&self.asked) {
                    "malleable"
                } else {
                    "forged"
                };
                panic!("{kind}: {what} gives {answer:?} for {}", self.asked);
            }
        }
    }

    fn check(&self, effort: Effort) -> usize {
        assert!(self.verify(&self.message).is_ok());
        self.check_lengths();
        self.check_noise();
        let mut tried = 0;
        for position in 0..self.message.len() {
            let mut changed = self.message.clone();
            let effort = match effort {
                Effort::EveryByte if self.is_signature(position) => Effort::EveryBit,
                effort => effort,
            };
            for byte in effort.changes(position, self.message[position]) {
                changed[position] = byte;
                let what = format!("byte {position} changed to {byte:02x}");
                let refusal = self.refused(&changed, &what);
                assert!(is_expected(position, byte, refusal), "{what}: {refusal:?}");
                tried += 1;
            }
        }
        tried
    }

    /// Returns whether a byte is in a signature: the last 64 bytes of a part's evidence.
    fn is_signature(&self, position: usize) -> bool {
        let Ok(proof) = codec::decode::<TupleProof<S, D>>(&self.message, MESSAGE_LIMIT) else {
            return false;
        };
        proof.parts.iter().any(|part| {
            let evidence = codec::encode_body(&part.evidence);
            let signature = &evidence[evidence.len() - 64..];
            let start = self
                .message
                .windows(64)
                .position(|window| window == signature);
            start.is_some_and(|start| (start..start + 64).contains(&position))
        })
    }

    fn check_lengths(&self) {
        for length in 0..self.message.len() {
            let refusal = self.refused(&self.message[..length], "a truncation");
            assert_eq!(refusal, Refusal::Decode(DecodeError::Malformed));
        }
        for byte in [0, 1, 0xff] {
            let longer = [&self.message[..], &[byte]].concat();
            let refusal = self.refused(&longer, "an extension");
            assert_eq!(refusal, Refusal::Decode(DecodeError::TrailingBytes));
        }
        let limit = self.message.len() - 1;
        let refusal = Untrusted::<TupleProof<S, D>>::decode(&self.message, limit).err();
        assert_eq!(refusal, Some(DecodeError::TooLarge { limit }));
    }

    fn check_noise(&self) {
        let mut random = Random::new(1);
        for round in 0..200 {
            let length = usize::try_from(random.below(200)).unwrap();
            let noise = random.bytes(length);
            let envelope = &self.message[..codec::ENVELOPE_LENGTH];
            self.refused(&[envelope, &noise].concat(), "noise");
            // A prefix of the honest message.
            let kept = round % self.message.len();
            self.refused(&[&self.message[..kept], &noise].concat(), "noise behind");
        }
    }
}

fn is_expected(position: usize, byte: u8, refusal: Refusal) -> bool {
    use VerifyError as V;
    refusal.fits_byte(position, byte).unwrap_or(matches!(
        refusal,
        Refusal::Verify(
            V::SignatureInvalid
                | V::KeyOutsideInterval
                | V::OutsideValidity { .. }
                | V::ChainTooLong { .. }
                | V::EpochCountMismatch
                | V::GenerationMissing
                | V::GenerationSurplus
                | V::WrongVersion { .. }
        )
    ))
}

/// Keys present in the youngest or an older generation, changed, removed, and never present. Also
/// the ends of the key space, and version 0.
const QUESTIONS: [(u64, &str); 8] = [
    (3, "d"),
    (3, "b"),
    (3, "f"),
    (6, "ee"),
    (1, ""),
    (8, "zz"),
    (7, "c"),
    (0, "d"),
];

fn check<D: Design<S, Secret: TestSecret>>(effort: Effort) {
    let target = Target::<D>::new();
    let mut tried = 0;
    for (version, name) in QUESTIONS {
        let honest = Honest {
            target: &target,
            message: codec::encode(&target.prove(version, name)),
            version,
            asked: key(name),
        };
        // `make test` tries every bit in the first of these versions only.
        tried += honest.check(match effort {
            Effort::EveryBit if version != 3 => soak::size(Effort::OneBit, Effort::EveryBit),
            effort => effort,
        });
        if effort == Effort::OneBit && version == 3 {
            break;
        }
    }
    println!("{}: {tried} changed bytes", D::NAME);
}

/// Tries all 255 changes of every byte outside signatures, in the design with the most fields.
#[test]
fn every_byte_may_only_be_what_it_is() {
    let target = Target::<SpecLightweight>::new();
    let honest = Honest {
        target: &target,
        message: codec::encode(&target.prove(3, "b")),
        version: 3,
        asked: key("b"),
    };
    println!("{} changed bytes", honest.check(Effort::EveryByte));
}

macro_rules! bytes {
    ($name:ident, $($design:tt)+) => {
        #[test]
        fn $name() {
            // A pairing takes a millisecond.
            let slow = stringify!($name).ends_with("bls");
            check::<$($design)+>(if slow { Effort::OneBit } else { Effort::EveryBit });
        }
    };
}

pad_tuple::for_each_tuple!(bytes);
