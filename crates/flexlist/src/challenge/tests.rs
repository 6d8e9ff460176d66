//! Derivations, tested by their bounds, their inputs and a schoolbook multiplication.

use proptest::prelude::*;

use super::*;

const SEED: [u8; 32] = [7; 32];

fn context() -> Context {
    Context {
        file: FileId([1; 32]),
        version: 2,
        root: Digest([3; 32]),
        total: 1_000,
    }
}

fn questions(challenge: Challenge, context: Context) -> Questions {
    challenge.questions(&context).unwrap()
}

fn sample(count: u32) -> Challenge {
    let seed = SEED;
    Challenge::Sample { seed, count }
}

fn every(start: u64, end: u64) -> Challenge {
    let seed = SEED;
    Challenge::Every { seed, start, end }
}

#[test]
fn an_empty_file_cannot_be_challenged() {
    let empty = Context {
        total: 0,
        ..context()
    };
    for challenge in [sample(1), every(0, 0)] {
        assert_eq!(challenge.questions(&empty), Err(ChallengeError::EmptyFile));
    }
}

#[test]
fn counts_have_bounds() {
    let sample = |count| sample(count).questions(&context());
    assert_eq!(sample(0), Err(ChallengeError::NoSamples));
    for count in [MAX_COUNT + 1, u32::MAX] {
        let limit = MAX_COUNT;
        let refused = Err(ChallengeError::TooManySamples { count, limit });
        assert_eq!(sample(count), refused);
    }
    let Ok(Questions::Samples(samples)) = sample(MAX_COUNT) else {
        panic!("the limit itself is allowed");
    };
    assert_eq!(samples.len(), 1 << 20);
    assert!(samples.iter().all(|sample| sample.index < 1_000));
}

#[test]
fn ranges_lie_in_the_file() {
    let every = |start, end| every(start, end).questions(&context());
    let empty = |start, end| Err(ChallengeError::EmptyRange { start, end });
    assert_eq!(every(5, 5), empty(5, 5));
    assert_eq!(every(6, 5), empty(6, 5));
    assert_eq!(every(u64::MAX, 0), empty(u64::MAX, 0));
    let outside = ChallengeError::RangeOutsideFile {
        end: 1_001,
        total: 1_000,
    };
    assert_eq!(every(0, 1_001), Err(outside));
    assert!(every(0, 1_000).is_ok());
}

#[test]
fn every_part_of_the_context_counts() {
    let (sampled, every) = (sample(8), every(1, 9));
    let others = [
        Context {
            file: FileId([9; 32]),
            ..context()
        },
        Context {
            version: 9,
            ..context()
        },
        Context {
            root: Digest([9; 32]),
            ..context()
        },
        Context {
            total: 1_001,
            ..context()
        },
    ];
    for other in others {
        assert_ne!(questions(sampled, other), questions(sampled, context()));
        assert_ne!(questions(every, other), questions(every, context()));
    }
    for (seed, start, end) in [([8; 32], 1, 9), (SEED, 0, 9), (SEED, 1, 10)] {
        let Questions::Blocks(other) = questions(Challenge::Every { seed, start, end }, context())
        else {
            panic!("blocks are asked for");
        };
        let Questions::Blocks(first) = questions(every, context()) else {
            panic!("blocks are asked for");
        };
        assert_ne!(other.derivation, first.derivation);
    }
    let Questions::Samples(eight) = questions(sampled, context()) else {
        panic!("samples are asked for");
    };
    let Questions::Samples(nine) = questions(sample(9), context()) else {
        panic!("samples are asked for");
    };
    assert_ne!(eight, nine[..8], "the count is bound");
}

proptest! {
    /// Compares with a schoolbook multiplication in 32-bit digits.
    #[test]
    fn scaling_is_the_upper_part_of_the_product(word: u128, limit: u64) {
        let mut product = [0_u64; 6];
        let digits = |value: u128| {
            [0, 32, 64, 96].map(|bit| u64::try_from((value >> bit) & 0xffff_ffff).unwrap())
        };
        for (i, left) in digits(word).into_iter().enumerate() {
            let mut carry = 0;
            for (j, right) in digits(u128::from(limit)).into_iter().take(2).enumerate() {
                let sum = product[i + j] + left * right + carry;
                product[i + j] = sum & 0xffff_ffff;
                carry = sum >> 32;
            }
            product[i + 2] += carry;
        }
        prop_assert_eq!(scale(word, limit), (product[5] << 32) | product[4]);
    }
}

#[test]
fn scaling_meets_its_bounds() {
    assert_eq!(scale(u128::MAX, u64::MAX), u64::MAX - 1);
    assert_eq!(scale(0, u64::MAX), 0);
    assert_eq!(scale(u128::MAX, 1), 0);
    assert_eq!(scale(1 << 127, 10), 5);
}
