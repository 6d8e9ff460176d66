//! Tests of deliveries to a store that other processes write, too.

use std::thread;

use authdict::{
    SchemeName, Version,
    internals::{RedbStore, Store as _},
};
use pad_client::internals::notes_to_json;

use super::{Source, deliver, noted, notes, outcome, push, push_all, signed, single};
use crate::fixture::*;

/// The tested schemes. Only the contents of the last scheme are kept in memory.
const SCHEMES: [SchemeName; 2] = [SchemeName::RedBlack, SchemeName::TupleAccumulatorsBilinear];

/// Opens a store as its writer, like another process.
fn writer(author: &Author, store: &str) -> RedbStore {
    let mut held = RedbStore::open(&author.path(store)).unwrap();
    held.write_records(&[]).unwrap();
    held
}

#[test]
fn a_delivery_does_not_lock_out_other_writers() {
    for scheme in SCHEMES {
        let author = Author::new(scheme);
        priced(&author, 2);
        let server = author.serve();
        assert_eq!(deliver(&author, &server, &[1]), outcome(1, 0), "{scheme}");
        assert_eq!(author.publish(&[("apple", "3")]), Version::new(3));
        // A delivery that fails does not lock them out, either.
        let held = writer(&author, "s.pad");
        let page = signed(&author, &notes_to_json(&notes(&[2])));
        let refused = connect(&server).push_notes(&page).unwrap_err();
        assert!(refused.to_string().contains("busy"), "{scheme}: {refused}");
        drop(held);
        assert_eq!(author.publish(&[("apple", "4")]), Version::new(4));
        assert_eq!(deliver(&author, &server, &[2]), outcome(1, 0), "{scheme}");
        assert_eq!(author.publish(&[("apple", "5")]), Version::new(5));
        let stored = Source::store(&author, "s.pad").all();
        assert_eq!(stored, notes(&[1, 2]), "{scheme}");
    }
}

/// A server that has applied updates remains the writer of a store whose contents are in memory.
/// Its notes are written by the same handle, without waiting for another one.
#[test]
fn a_server_that_applied_updates_stores_notes() {
    for scheme in SCHEMES {
        let author = Author::new(scheme);
        noted(&author);
        let server = start(service(&author.create("pushed.pad")));
        for version in [1, 2, 3] {
            push(&author, &server, version);
            let delivered = deliver(&author, &server, &[version]);
            assert_eq!(delivered, outcome(1, 0), "{scheme}");
        }
        let stored = Source::store(&author, "pushed.pad").all();
        assert_eq!(stored, notes(&[1, 2, 3]), "{scheme}");
    }
}

/// A note that another process writes while a delivery waits for the store must be kept.
#[test]
fn a_note_written_in_between_is_kept() {
    for scheme in SCHEMES {
        let author = Author::new(scheme);
        noted(&author);
        // A server that applied updates itself may be the writer, so another one serves the store.
        let first = start(service(&author.create("pushed.pad")));
        push_all(&author, &first);
        drop(first);
        let server = start(service(&author.path("pushed.pad")));
        let mut held = writer(&author, "pushed.pad");
        let own = single(2, "own", "2026-10-25");
        thread::scope(|scope| {
            let delivery = scope.spawn(|| deliver(&author, &server, &[1, 2, 3, 4]));
            // If the delivery has not begun yet, it finds the note at once.
            thread::sleep(SECOND);
            let records = own.missing_in(&held, Version::new(4)).unwrap().records;
            held.write_records(&records).unwrap();
            drop(held);
            assert_eq!(delivery.join().unwrap(), outcome(3, 1), "{scheme}");
        });
        let stored = Source::store(&author, "pushed.pad").all();
        assert_eq!(stored.get(Version::new(2)), own.get(Version::new(2)));
    }
}
