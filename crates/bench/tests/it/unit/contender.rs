//! Tests of `bench::directory::contender`.

use core::ops::Range;

use bench::directory::contender::slot_updates;

/// Level, slots of the block, whether new.
fn of(ids: Range<u64>) -> Vec<(u32, u64, bool)> {
    let slot_updates = slot_updates(&ids, 3).into_iter();
    slot_updates
        .map(|it| (it.level, it.slots, it.is_new))
        .collect()
}

#[test]
fn levels_grow_with_their_first_slot() {
    assert_eq!(of(0..1), [(0, 1, true)]);
    assert_eq!(of(2..3), [(0, 3, true)]);
    assert_eq!(of(3..4), [(0, 1, true), (1, 1, true), (1, 2, true)]);
    assert_eq!(of(4..5), [(0, 2, true), (1, 2, false)]);
    assert_eq!(of(8..9), [(0, 3, true), (1, 3, false)]);
    let grown = [(0, 1, true), (1, 1, true), (2, 1, true), (2, 2, true)];
    assert_eq!(of(9..10), grown);
    assert_eq!(of(4..7)[3..], [(1, 2, false), (1, 3, true)]);
}
