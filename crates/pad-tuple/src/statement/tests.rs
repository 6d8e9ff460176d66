use std::collections::BTreeSet;

use pad_core::{Digest, Paper2010, Sha256Ed25519};

use super::*;

const CONTEXT: Context = Context {
    scheme: SchemeId(0x0222),
    dictionary: DictionaryId::from_bytes([0xdd; 16]),
};

fn statement() -> TupleStatement<Sha256Ed25519> {
    TupleStatement {
        generation: 1,
        since: 2,
        until: 3,
        tuple: Digest([4; 32]),
        anchor: Some(Digest([5; 32])),
    }
}

#[test]
fn the_signed_bytes_are_these() {
    let mut expected = b"pad/v1/tuple-statement".to_vec();
    expected.resize(32, 0);
    expected.extend([0, 1, 0x02, 0x22]);
    expected.extend([0xdd; 16]);
    expected.extend([1]);
    expected.extend([0, 0, 0, 0, 0, 0, 0, 2]);
    expected.extend([0, 0, 0, 0, 0, 0, 0, 3]);
    expected.extend([4; 32]);
    let plain = TupleStatement {
        anchor: None,
        ..statement()
    };
    assert_eq!(plain.signed_bytes(CONTEXT), expected);
    expected.extend([5; 32]);
    assert_eq!(statement().signed_bytes(CONTEXT), expected);
    assert_eq!(expected.len(), LONGEST_SIGNED);
}

/// Checks that every field has its own bytes: changing any field gives other signed bytes.
#[test]
fn every_field_gives_other_bytes() {
    let base = statement();
    let mut others = vec![base];
    for number in [0, 1, 0x0300, 0x0200_0000, u64::MAX] {
        let (since, until) = (number, number);
        others.push(TupleStatement { since, ..base });
        others.push(TupleStatement { until, ..base });
    }
    for generation in [0, 2, 14] {
        others.push(TupleStatement { generation, ..base });
    }
    let (tuple, anchor) = (Digest([5; 32]), Some(Digest([4; 32])));
    let of_tuple = TupleStatement { tuple, ..base };
    others.push(of_tuple);
    for anchor in [anchor, None] {
        others.push(TupleStatement { anchor, ..base });
    }
    others.push(TupleStatement { anchor, ..of_tuple });
    let mut contexts = [CONTEXT; 4];
    contexts[0].scheme = SchemeId(0x0221);
    contexts[1].scheme = SchemeId(0x0212);
    contexts[2].scheme = SchemeId(0x0122);
    contexts[3].dictionary = DictionaryId::from_bytes([0xde; 16]);
    let number = others.len() + contexts.len();
    let others = others.iter().map(|other| other.signed_bytes(CONTEXT));
    let elsewhere = contexts.iter().map(|context| base.signed_bytes(*context));
    let bytes: BTreeSet<Vec<u8>> = others.chain(elsewhere).collect();
    assert_eq!(bytes.len(), number);
}

#[test]
fn a_suite_has_its_own_bytes() {
    let paper = TupleStatement::<Paper2010> {
        generation: 1,
        since: 2,
        until: 3,
        tuple: Digest([4; 28]),
        anchor: None,
    };
    let bytes = paper.signed_bytes(CONTEXT);
    assert_eq!(bytes[32..34], [0, 3]);
    assert_eq!(bytes.len(), 69 + 28);
}
