//! Changed copies of a message.

use crate::Random;

/// Returns copies of the message `honest` that are changed at `position`, each with a description.
/// `other` is another message. The first copy differs from `honest`.
pub(crate) fn changed_at(
    position: usize,
    honest: &[u8],
    other: &[u8],
    random: &mut Random,
) -> [(&'static str, Vec<u8>); 9] {
    let (before, after) = honest.split_at(position);
    let flipped = after[0] ^ 1 << random.below(8);
    let noise = random.bytes(1);
    let end = random.index(after.len()) + 1;
    let from = random.index(other.len());
    let with = |parts: [&[u8]; 2]| [before, parts[0], parts[1]].concat();
    [
        ("a flipped bit", with([&[flipped], &after[1..]])),
        ("a random byte", with([&noise, &after[1..]])),
        ("a byte too much", with([&noise, after])),
        ("the end of the message", before.to_vec()),
        ("missing bytes", with([&after[end..], &[]])),
        ("repeated bytes", with([&after[..end], after])),
        ("zero bytes", with([&[0].repeat(end), &after[end..]])),
        (
            "continued by another answer",
            with([&other[position.min(other.len())..], &[]]),
        ),
        ("another answer's bytes", with([&other[from..], after])),
    ]
}
