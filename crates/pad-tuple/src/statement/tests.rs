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
    let mut others: Vec<(Context, TupleStatement<Sha256Ed25519>)> = vec![(CONTEXT, base)];
    for number in [0, 1, 0x0300, 0x0200_0000, u64::MAX] {
        let (since, until) = (number, number);
        others.push((CONTEXT, TupleStatement { since, ..base }));
        others.push((CONTEXT, TupleStatement { until, ..base }));
    }
    for generation in [0, 2, 14] {
        others.push((CONTEXT, TupleStatement { generation, ..base }));
    }
    let tuple = Digest([5; 32]);
    let anchor = Some(Digest([4; 32]));
    others.push((CONTEXT, TupleStatement { tuple, ..base }));
    others.push((CONTEXT, TupleStatement { anchor, ..base }));
    others.push((
        CONTEXT,
        TupleStatement {
            tuple,
            anchor,
            ..base
        },
    ));
    others.push((
        CONTEXT,
        TupleStatement {
            anchor: None,
            ..base
        },
    ));
    for scheme in [0x0221, 0x0212, 0x0122] {
        let scheme = SchemeId(scheme);
        others.push((Context { scheme, ..CONTEXT }, base));
    }
    let dictionary = DictionaryId::from_bytes([0xde; 16]);
    others.push((
        Context {
            dictionary,
            ..CONTEXT
        },
        base,
    ));
    let bytes: BTreeSet<Vec<u8>> = others
        .iter()
        .map(|(context, statement)| statement.signed_bytes(*context))
        .collect();
    assert_eq!(bytes.len(), others.len());
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
