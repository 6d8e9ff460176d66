//! Peak memory of decoding, relative to the length of the message. Lists are complete and consist
//! of the smallest elements.

use pad_conformance::encoding::{self, message};
use pad_tuple::{ManyProof, RangeProof, internals::AggregateDesign};

use super::*;

/// Returns a list of one element more than a power of two: a growing list has just doubled, and its
/// former half is still allocated.
fn list(element: &[u8]) -> Vec<u8> {
    encoding::list((1 << 16) + 1, element)
}

fn takes_at_most<M: codec::Message>(times: u64, body: &[&[u8]]) {
    let peak = |work: &mut dyn FnMut()| allocation_counter::measure(work).bytes_max;
    encoding::check_memory::<M>(times, body, peak);
}

type TupleUpdate<D> = Update<S, TupleAttachment<<D as Design<S>>::Extension>>;

/// Checks designs. `shown` is the shortest encoding of the data that a design shows for a tuple.
fn check<D: AggregateDesign<S>>(shown: &[u8], [many, range]: [u64; 2]) {
    // A tuple at the key, without content and without upper end.
    let part = [&[0, 0, 0], shown].concat();
    takes_at_most::<ManyProof<S, D>>(many, &[&[0], &list(&part), &[0]]);
    let part = [&[0, 0], shown].concat();
    takes_at_most::<RangeProof<S, D>>(range, &[&[0], &[1, 0], &list(&part), &[0]]);
    // These lists contain at most one element for each generation.
    let refused = Some(DecodeError::Malformed);
    let many_epochs = message::<TupleProof<S, D>>(&[&list(&[0]), &[0], &[0]]);
    let decode = |bytes: &[u8]| codec::decode::<TupleProof<S, D>>(bytes, bytes.len()).err();
    assert_eq!(decode(&many_epochs), refused);
    let taken = allocation_counter::measure(|| {
        decode(&many_epochs);
    });
    assert!(taken.bytes_max < 4096);
    for (number, expected) in [(15, None), (16, refused)] {
        let epochs = [&[number][..], &vec![0; number.into()]].concat();
        let proof = message::<TupleProof<S, D>>(&[&epochs, &[0], &[0]]);
        assert_eq!(decode(&proof), expected);
    }
}

#[test]
fn decoding_takes_a_bounded_multiple_of_the_input() {
    check::<Base>(&[], [96, 96]);
    check::<BaseSuperseding>(&[0, 0], [96, 96]);
    let lightweight = [&[0, 0, 0][..], &[7; 32]].concat();
    check::<SpecLightweight>(&lightweight, [16, 16]);

    let target =
        pad_conformance::repository::play::<TuplePad<S, Base>>(&[put("a", "b"), Action::Snapshot]);
    let head = codec::encode(&target.updates[0].head)[8..].to_vec();
    let signatures = list(&[7; 64]);
    takes_at_most::<TupleUpdate<Base>>(3, &[&[0], &[0], &head, &[0, 1], &signatures]);
    let links = list(&[[1].as_slice(), &[7; 32]].concat());
    takes_at_most::<TupleUpdate<BaseLightweight>>(12, &[&[0], &[0], &head, &[0, 1], &links]);
    takes_at_most::<TupleUpdate<Base>>(48, &[&[0], &list(&[1, 0]), &head, &[0, 0]]);
}
