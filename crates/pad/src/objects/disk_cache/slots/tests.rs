//! Whatever happens to a file of slots, what is read from it was kept under its name.

use disk::layer::{Operation, Reads, SimulatedFolder};

use super::*;

const SLOT: usize = 3 * BLOCK;
const SETS: u64 = 3;
const BYTES: u64 = SETS * of_set();

const fn of_set() -> u64 {
    1024 + 8 * 3 * 4096
}

fn opened(folder: &SimulatedFolder) -> Slots {
    Slots::open(folder, "slots", SLOT, BYTES).unwrap()
}

fn name(number: u64) -> SlotName {
    let mut name = [0; NAME];
    for (place, part) in name.chunks_mut(8).enumerate() {
        let mixed = (number + widened(place)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        part.copy_from_slice(&(mixed ^ mixed >> 29).to_le_bytes());
    }
    name
}

/// What belongs under a name: of different lengths, some of which end within a block.
fn contents(number: u64) -> Vec<u8> {
    let length = [SLOT, BLOCK, 5, SLOT - 7][usize::try_from(number % 4).unwrap()];
    let byte = |place: usize| u8::try_from((number * 31 + widened(place / 3)) % 251).unwrap();
    (0..length).map(byte).collect()
}

fn keep(slots: &Slots, number: u64) {
    slots.keep(&name(number), &contents(number));
}

/// Whether it is there; nothing else may be in its place.
fn is_here(slots: &Slots, number: u64) -> bool {
    let (name, contents) = (name(number), contents(number));
    let whole = slots.whole(&name);
    if let Some(whole) = &whole {
        assert_eq!(*whole, contents, "{number}");
    }
    let middle = contents.len() / 3..contents.len() - 1;
    let mut part = vec![0; middle.len()];
    if slots.read(&name, middle.start, &mut part) {
        assert_eq!(part, contents[middle], "{number}");
    }
    whole.is_some()
}

fn number_here(slots: &Slots, numbers: core::ops::Range<u64>) -> usize {
    numbers.filter(|number| is_here(slots, *number)).count()
}

fn file_bytes(folder: &SimulatedFolder) -> Vec<u8> {
    let file = folder.open("slots").unwrap();
    let mut bytes = vec![0; usize::try_from(file.length().unwrap()).unwrap()];
    file.read_at(0, &mut bytes).unwrap();
    bytes
}

fn folder_of(bytes: &[u8]) -> SimulatedFolder {
    let folder = SimulatedFolder::new("cache");
    let file = folder.create("slots").unwrap();
    file.write_at(0, bytes).unwrap();
    folder
}

#[test]
fn what_is_kept_is_read_back_and_takes_no_more_than_it_may() {
    let folder = SimulatedFolder::new("cache");
    let slots = opened(&folder);
    assert_eq!(number_here(&slots, 0..10), 0);
    for number in 0..500 {
        keep(&slots, number);
        assert!(is_here(&slots, number));
        assert!(folder.open("slots").unwrap().length().unwrap() <= BYTES);
    }
    // Every slot is in use.
    assert_eq!(
        number_here(&slots, 0..500),
        usize::try_from(SETS).unwrap() * WAYS
    );
    assert_eq!(
        number_here(&opened(&folder), 0..500),
        usize::try_from(SETS).unwrap() * WAYS
    );
    slots.forget(&name(499));
    assert!(!is_here(&slots, 499));
    slots.keep(&name(600), &vec![1; SLOT + 1]);
    assert!(slots.whole(&name(600)).is_none());
}

#[test]
fn what_is_used_stays_and_most_uses_are_not_written() {
    let folder = SimulatedFolder::new("cache");
    let slots = opened(&folder);
    for number in 0..300 {
        keep(&slots, number);
        assert!(is_here(&slots, 0), "{number}");
    }
    let writes = folder.operations().len();
    let again = (0..300).filter(|_| is_here(&slots, 0)).count();
    assert_eq!(
        (again, folder.operations().len() - writes <= 1),
        (300, true)
    );
}

#[test]
fn another_size_begins_anew_and_takes_the_rest_away() {
    let folder = SimulatedFolder::new("cache");
    let slots = opened(&folder);
    (0..100).for_each(|number| keep(&slots, number));
    let small = Slots::open(&folder, "slots", SLOT, of_set()).unwrap();
    assert!(folder.open("slots").unwrap().length().unwrap() <= of_set());
    // Both are right, whatever the other one does.
    for number in 0..100 {
        keep(&small, number);
        keep(&slots, number + 7);
        assert!(is_here(&slots, number + 7));
        number_here(&small, 0..110);
        number_here(&slots, 0..110);
    }
    assert_eq!(Slots::open(&folder, "slots", SLOT, 1).unwrap().sets, 1);
}

#[test]
fn damage_is_found_at_every_place() {
    let folder = SimulatedFolder::new("cache");
    let slots = opened(&folder);
    (0..20).for_each(|number| keep(&slots, number));
    let (whole, kept) = (file_bytes(&folder), number_here(&slots, 0..20));
    let places = (0..SET * 3).chain((SET * 3..whole.len()).step_by(509));
    let mut lost = 0;
    for place in places {
        let mut bytes = whole.clone();
        bytes[place] ^= 0x41;
        let found = number_here(&opened(&folder_of(&bytes)), 0..20);
        assert!(found + 1 >= kept, "{place}");
        lost += kept - found;
    }
    assert!(lost > 500, "{lost}");
    for end in (0..whole.len()).step_by(997) {
        number_here(&opened(&folder_of(&whole[..end])), 0..20);
        let mut bytes = whole.clone();
        bytes[end..].fill(0);
        number_here(&opened(&folder_of(&bytes)), 0..20);
        bytes[end..].copy_from_slice(&whole[..whole.len() - end]);
        number_here(&opened(&folder_of(&bytes)), 0..20);
    }
    let longer = folder_of(&[&whole[..], &[7; 9_000]].concat());
    assert_eq!(number_here(&opened(&longer), 0..20), kept);
}

#[test]
fn slots_that_change_places_are_not_taken_for_each_other() {
    let folder = SimulatedFolder::new("cache");
    let slots = opened(&folder);
    (0..20).for_each(|number| keep(&slots, number));
    let ways = usize::try_from(SETS).unwrap() * WAYS;
    let place = |slot: usize| usize::try_from(SETS).unwrap() * SET + slot * SLOT;
    let mut whole = file_bytes(&folder);
    whole.resize(place(ways), 0);
    for slot in 0..ways {
        for other in 0..slot {
            let mut bytes = whole.clone();
            bytes[place(other)..][..SLOT].copy_from_slice(&whole[place(slot)..][..SLOT]);
            number_here(&opened(&folder_of(&bytes)), 0..20);
            // The headers go with them, or alone.
            for moved in [&whole, &bytes] {
                let mut bytes = moved.clone();
                let header = &whole[slot * HEADER..][..HEADER];
                bytes[other * HEADER..][..HEADER].copy_from_slice(header);
                number_here(&opened(&folder_of(&bytes)), 0..20);
            }
        }
    }
}

#[test]
fn a_full_disk_keeps_nothing_and_fails_nothing() {
    let folder = SimulatedFolder::new("cache");
    let slots = opened(&folder);
    for room in 0..12 {
        folder.set_capacity(folder.used() + room * 4096);
        for number in room * 10..room * 10 + 10 {
            keep(&slots, number);
            number_here(&slots, 0..130);
        }
    }
    folder.set_capacity(u64::MAX);
    (0..PAUSE).for_each(|number| keep(&slots, number));
    keep(&slots, 1000);
    assert!(is_here(&slots, 1000));
}

#[test]
fn after_a_kill_or_a_power_cut_everything_is_what_was_kept_or_is_not_there() {
    // One set, in which what is kept takes the place of what was.
    let open = |folder: &SimulatedFolder| Slots::open(folder, "slots", SLOT, 1);
    let run = |folder: &SimulatedFolder| {
        if let Ok(slots) = open(folder) {
            for number in 0..14 {
                keep(&slots, number);
                is_here(&slots, number / 2);
            }
        }
    };
    let whole = SimulatedFolder::new("cache");
    run(&whole);
    let operations = whole.operations();
    assert!(operations.contains(&Operation::Write));
    for stop in 1..=operations.len() {
        for reads in [Reads::Work, Reads::Fail] {
            let folder = SimulatedFolder::new("cache");
            folder.stop_at(stop, reads);
            run(&folder);
            let left = (0..6).map(|seed| folder.after_power_cut(seed));
            for left in left.chain([folder.after_kill()]) {
                number_here(&open(&left).unwrap(), 0..14);
                run(&left);
                assert!(is_here(&open(&left).unwrap(), 13), "{stop}");
            }
        }
    }
    for failing in 1..=operations.len() {
        let folder = SimulatedFolder::new("cache");
        folder.fail_at(failing, 5);
        run(&folder);
        number_here(&opened(&folder), 0..14);
    }
}

#[test]
fn those_who_write_at_the_same_time_leave_nothing_in_part() {
    let folder = SimulatedFolder::new("cache");
    std::thread::scope(|scope| {
        for thread in 0..3 {
            let slots = opened(&folder);
            scope.spawn(move || {
                for number in 0..200 {
                    keep(&slots, (number * 7 + thread * 3) % 60);
                    is_here(&slots, (number * 5) % 60);
                }
            });
        }
    });
    let slots = opened(&folder);
    assert!(number_here(&slots, 0..60) > 8);
}
