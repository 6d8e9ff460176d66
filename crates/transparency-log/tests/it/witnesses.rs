//! Witnesses: their responses and guarantees, and how a log handles their responses.

use std::{
    sync::{Arc, Barrier},
    thread,
};

use pad_conformance::{Random, soak};
use pad_disk::layer::{Folder, Reads, SimulatedFolder};
use transparency_log::{
    Checkpoint, Note, Timestamp,
    note::{NoteError, Signature},
    tree::{Hash, TreeHead},
    witness::{
        AddCheckpoint, AddError, Answer, AnswerError, FolderRecords, FolderRecordsError,
        MemoryRecords, Records, RequestError, SIZE_CONTENT_TYPE, TEXT_CONTENT_TYPE, Witness,
    },
};

use crate::support::{
    NaiveLog, ORIGIN, entry, log_key, mutations, other_log_key, text_mutations, time, witness_key,
};

fn witness<R: Records>(records: R) -> Witness<R> {
    let mut witness = Witness::new(witness_key(1), records);
    witness.add_log(ORIGIN, log_key().verifier());
    witness
}

fn add<R: Records>(
    witness: &Witness<R>,
    request: &AddCheckpoint,
) -> Result<Signature, AddError<R::Error>> {
    witness.add_checkpoint(request.encode().as_bytes(), time(1_700_000_000))
}

/// Returns a log of the same size with another last entry.
fn fork(size: u64) -> NaiveLog {
    let mut entries: Vec<Vec<u8>> = (0..size).map(entry).collect();
    entries.last_mut().unwrap().push(1);
    NaiveLog::of(entries)
}

#[test]
fn a_witness_follows_a_log() {
    let witness = witness(MemoryRecords::default());
    let mut log = NaiveLog::new(600);
    let mut old = 0;
    for size in [0, 0, 1, 2, 2, 3, 100, 256, 599, 600, 600] {
        let request = log.request(old, size);
        let cosignature = add(&witness, &request).unwrap();
        let mut note = request.note.clone();
        note.add(cosignature.clone()).unwrap();
        let opened = note.open(&[witness.verifier()]).unwrap().signed.clone();
        assert_eq!(opened[0].time, Some(time(1_700_000_000)));
        let answer = Answer::read(
            (200, None, cosignature.line().as_bytes()),
            (&request.note, old, size),
            &witness.verifier(),
        );
        assert_eq!(answer, Ok(Answer::Cosigned(vec![cosignature])));
        old = size;
    }
}

#[test]
fn each_refusal_has_its_status_and_changes_nothing() {
    let witness = witness(MemoryRecords::default());
    let mut log = NaiveLog::new(20);
    add(&witness, &log.request(0, 9)).unwrap();
    let refused = |request: &AddCheckpoint| {
        let error = add(&witness, request).unwrap_err();
        (error.status(), error.content_type(), error.body(), error)
    };
    let honest = log.request(9, 15);
    // Changes the request, and returns the status and the error.
    let changed = |change: &dyn Fn(&mut AddCheckpoint)| {
        let mut request = honest.clone();
        change(&mut request);
        let (status, _, _, error) = refused(&request);
        (status, error)
    };

    let error = witness.add_checkpoint(b"new 3\n\n", time(0)).unwrap_err();
    assert_eq!(error.status(), 400);
    assert!(matches!(error, AddError::Request(RequestError::OldSize)));

    let mut text = Note::new("no checkpoint\n").unwrap();
    text.add(log_key().sign("no checkpoint\n")).unwrap();
    let refusal = changed(&|request| request.note = text.clone());
    assert!(matches!(refusal, (400, AddError::Checkpoint(_))));

    let elsewhere = Checkpoint::new("example.com/other", 15, Hash::of_nothing()).unwrap();
    let refusal = changed(&|request| request.note = elsewhere.sign(&log_key()));
    assert!(matches!(refusal, (404, AddError::UnknownLog)));

    let checkpoint = log.checkpoint(15);
    let refusal = changed(&|request| request.note = checkpoint.sign(&other_log_key()));
    let unknown = matches!(refusal.1, AddError::NotSigned(NoteError::NoKnownKey));
    assert!(refusal.0 == 403 && unknown);

    let mut note = Note::new(checkpoint.text()).unwrap();
    note.add(log.note(14).signatures()[0].clone()).unwrap();
    let refusal = changed(&|request| request.note = note.clone());
    let wrong = matches!(refusal.1, AddError::NotSigned(NoteError::WrongSignature(_)));
    assert!(refusal.0 == 403 && wrong);

    let refusal = changed(&|request| request.old_size = 16);
    assert!(matches!(refusal, (400, AddError::OldSize)));

    for old_size in [0, 8, 10, 15] {
        let (status, kind, body, error) = refused(&log.request(old_size, 15));
        assert!(matches!(error, AddError::Conflict(9)));
        assert_eq!((status, kind, &*body), (409, SIZE_CONTENT_TYPE, "9\n"));
    }
    let refused_same = refused(&fork(9).request(9, 9));
    assert!(matches!(refused_same.3, AddError::Forked(9)));
    assert_eq!((refused_same.0, refused_same.1), (422, TEXT_CONTENT_TYPE));

    let mut forked = fork(9);
    forked.entries.extend((9..15).map(entry));
    let (status, _, _, error) = refused(&NaiveLog::of(forked.entries).request(9, 15));
    assert!(matches!((status, error), (422, AddError::Inconsistent(_))));
    for proof in [vec![], [&honest.proof[..], &[Hash::of_nothing()]].concat()] {
        let refusal = changed(&|request| request.proof.clone_from(&proof));
        assert!(matches!(refusal, (422, AddError::Inconsistent(_))));
    }
    // The same size again, with a superfluous proof.
    assert_eq!(changed(&|request| request.note = log.note(9)).0, 422);

    add(&witness, &honest).unwrap();
}

/// The first cosigned checkpoint may be empty, but only with the root of the empty log.
#[test]
fn the_first_checkpoint_may_be_empty_but_not_anything() {
    let witness = witness(MemoryRecords::default());
    let checkpoint = Checkpoint::new(ORIGIN, 0, Hash::of_leaf(b"something")).unwrap();
    let note = checkpoint.sign(&log_key());
    let forged = AddCheckpoint {
        old_size: 0,
        proof: vec![],
        note,
    };
    assert!(matches!(add(&witness, &forged), Err(AddError::Forked(0))));
    add(&witness, &NaiveLog::new(0).request(0, 0)).unwrap();
    let mut with_proof = NaiveLog::new(2).request(0, 2);
    with_proof.proof.push(Hash::of_nothing());
    let refused = add(&witness, &with_proof).unwrap_err();
    assert!(matches!(refused, AddError::Inconsistent(_)));
}

#[test]
fn keys_of_a_log_can_change() {
    let mut witness = witness(MemoryRecords::default());
    let mut log = NaiveLog::new(3);
    let mut by_new_key = log.request(0, 3);
    by_new_key.note = log.checkpoint(3).sign(&other_log_key());
    let refused = add(&witness, &by_new_key).unwrap_err();
    assert!(matches!(refused, AddError::NotSigned(_)));
    witness.add_log(ORIGIN, other_log_key().verifier());
    add(&witness, &by_new_key).unwrap();
    add(&witness, &log.request(3, 3)).unwrap();
}

#[test]
fn no_mutation_of_a_request_gets_anything_else_cosigned() {
    let mut log = NaiveLog::new(15);
    let honest = log.request(9, 15);
    let text = honest.note.unverified_text();
    for changed in mutations(honest.encode().as_bytes()) {
        let witness = witness(MemoryRecords::default());
        add(&witness, &log.request(0, 9)).unwrap();
        if let Ok(cosignature) = witness.add_checkpoint(&changed, time(1)) {
            // More signatures may follow.
            let parsed = AddCheckpoint::parse(&changed).unwrap();
            assert_eq!(parsed.note.unverified_text(), text);
            witness.verifier().verify(text, &cosignature).unwrap();
        }
    }
}

#[test]
fn requests_have_one_form() {
    let mut log = NaiveLog::new(15);
    let honest = log.request(9, 15);
    let text = honest.encode();
    assert_eq!(AddCheckpoint::parse(text.as_bytes()).unwrap(), honest);
    let refused = |text: &str| AddCheckpoint::parse(text.as_bytes()).unwrap_err();
    let sizes = [" 09", "", " ", "  9", " -9", " 9 "].map(|size| format!("old{size}"));
    let others = ["Old 9", "old 99999999999999999999"];
    for old in sizes.iter().map(String::as_str).chain(others) {
        let refused = refused(&text.replace("old 9", old));
        assert_eq!(refused, RequestError::OldSize, "{old}");
    }
    assert_eq!(refused(""), RequestError::OldSize);
    assert_eq!(refused("old 9\n"), RequestError::Proof);
    let unsigned = refused("old 9\n\n");
    assert_eq!(unsigned, RequestError::Note(NoteError::Unsigned));
    let lines = |number: usize| format!("{}\n", Hash::of_nothing()).repeat(number);
    let note = honest.note.encode();
    assert!(AddCheckpoint::parse(format!("old 9\n{}\n{note}", lines(63)).as_bytes()).is_ok());
    for proof in [lines(64), "AAAA\n".into()] {
        let refused = refused(&format!("old 9\n{proof}\n{note}"));
        assert_eq!(refused, RequestError::Proof);
    }
    let long = "x".repeat(AddCheckpoint::LONGEST + 1);
    assert_eq!(refused(&long), RequestError::TooLong);
}

#[test]
fn answers_are_verified() {
    let witness = witness(MemoryRecords::default());
    let mut log = NaiveLog::new(9);
    let sent = log.request(0, 9);
    let cosignature = add(&witness, &sent).unwrap();
    let key = witness.verifier();
    let read = |status: u16, content_type: Option<&str>, body: &str| {
        Answer::read(
            (status, content_type, body.as_bytes()),
            (&sent.note, 0, 9),
            &key,
        )
    };
    let line = cosignature.line();
    let other = witness_key(2).cosign(&log.checkpoint(9), time(1)).line();
    let honest = Ok(Answer::Cosigned(vec![cosignature.clone()]));
    assert_eq!(read(200, None, &format!("{other}{line}")), honest);
    assert_eq!(read(200, None, &other), Err(NoteError::NoKnownKey.into()));
    assert_eq!(read(200, None, ""), Err(AnswerError::Form));
    assert_eq!(read(200, None, "\n"), Err(NoteError::SignatureLine.into()));
    assert_eq!(read(200, None, line.trim_end()), Err(AnswerError::Form));
    let wrong = witness_key(1).cosign(&log.checkpoint(8), time(1)).line();
    let refused = NoteError::WrongSignature(key.name().clone());
    assert_eq!(read(200, None, &wrong), Err(refused.into()));
    for changed in text_mutations(&line) {
        if let Ok(answer) = read(200, None, &changed) {
            let Answer::Cosigned(found) = answer else {
                panic!("{changed}")
            };
            assert!(found.iter().all(|found| *found == cosignature));
        }
    }
    let size = Some(SIZE_CONTENT_TYPE);
    assert_eq!(read(409, size, "4\n"), Ok(Answer::Size(4)));
    assert_eq!(read(409, size, "0\n"), Err(AnswerError::Ahead(0)));
    assert_eq!(read(409, size, "10\n"), Err(AnswerError::Ahead(10)));
    for body in ["", "4", "04\n", "4\n\n", "x\n"] {
        assert_eq!(read(409, size, body), Err(AnswerError::Form), "{body:?}");
    }
    assert_eq!(read(409, None, "4\n"), Err(AnswerError::Refused(409)));
    assert_eq!(read(404, None, ""), Err(AnswerError::Refused(404)));
    let long = "x".repeat((1 << 16) + 1);
    assert_eq!(read(200, None, &long), Err(AnswerError::TooLong));
}

/// Of two histories that are offered concurrently, only one may be cosigned. Tries this many times.
#[test]
fn of_two_forks_at_once_one_wins() {
    let folder = tempfile::tempdir().unwrap();
    let layer = Arc::new(Folder::open(folder.path()).unwrap());
    let witness = witness(FolderRecords::open(layer).unwrap());
    let mut entries: Vec<Vec<u8>> = Vec::new();
    let mut numbers = Random::new(5);
    for round in 0..40 {
        let old = u64::try_from(entries.len()).unwrap();
        let offered: Vec<NaiveLog> = (0..2_u8)
            .map(|side| {
                let more = 1 + numbers.below(3);
                let mut grown = entries.clone();
                grown
                    .extend((0..more).map(|place| vec![side, round, u8::try_from(place).unwrap()]));
                NaiveLog::of(grown)
            })
            .collect();
        let barrier = Barrier::new(2);
        let offer = |log: &NaiveLog| {
            let size = u64::try_from(log.entries.len()).unwrap();
            let request = NaiveLog::of(log.entries.clone()).request(old, size);
            barrier.wait();
            add(&witness, &request)
        };
        let won = thread::scope(|scope| {
            let [first, second] = [0, 1].map(|side| {
                let log: &NaiveLog = &offered[side];
                scope.spawn(|| offer(log).is_ok())
            });
            [first.join().unwrap(), second.join().unwrap()]
        });
        assert_ne!(won[0], won[1], "{round}");
        let log = &offered[usize::from(won[1])];
        entries.clone_from(&log.entries);
        let size = u64::try_from(log.entries.len()).unwrap();
        assert_eq!(witness.records().recorded(ORIGIN).unwrap(), log.head(size));
    }
}

#[test]
fn one_process_at_a_time_has_the_records() {
    let folder = SimulatedFolder::new("records");
    let first = FolderRecords::open(folder.layer()).unwrap();
    let refused = FolderRecords::open(folder.layer()).unwrap_err();
    assert!(matches!(refused, FolderRecordsError::InUse(_)));
    drop(first);
    FolderRecords::open(folder.layer()).unwrap();
}

/// Runs a witness in a folder until it fails. Returns the sizes and roots that it has cosigned or
/// reported as cosigned.
fn follow(folder: &SimulatedFolder, log: &mut NaiveLog, sizes: &[u64]) -> Vec<TreeHead> {
    let mut cosigned = Vec::new();
    let Ok(records) = FolderRecords::open(folder.layer()) else {
        return cosigned;
    };
    let witness = witness(records);
    for size in sizes {
        let Ok(recorded) = witness.records().recorded(ORIGIN) else {
            break;
        };
        if recorded.size <= *size && add(&witness, &log.request(recorded.size, *size)).is_ok() {
            cosigned.push(log.head(*size));
        }
        if let Ok(Some(note)) = witness.records().cosigned(ORIGIN) {
            let checkpoint = Checkpoint::parse(note.unverified_text()).unwrap();
            assert_eq!(checkpoint.head(), log.head(checkpoint.size()));
            cosigned.push(checkpoint.head());
        }
    }
    cosigned
}

/// Crashes at every write and synchronisation. The recovered witness cosigns no fork, and the
/// honest log continues.
#[test]
fn no_crash_makes_a_witness_forget() {
    const SIZES: [u64; 4] = [1, 2, 2, 7];
    let mut log = NaiveLog::new(9);
    let all = SimulatedFolder::new("records");
    assert_eq!(follow(&all, &mut log, &SIZES).len(), 2 * SIZES.len());
    for stop in 1..=all.operations().len() {
        let folder = SimulatedFolder::new("records");
        folder.stop_at(stop, Reads::Work);
        let cosigned = follow(&folder, &mut log, &SIZES);
        let left = (0..20).map(|seed| folder.after_power_cut(seed));
        for left in left.chain([folder.after_kill()]) {
            check_left(&left, &mut log, cosigned.last());
        }
    }
}

/// An operation fails, the process continues, and the power is cut later. The recovered witness
/// must not forget or contradict a head that it has cosigned.
#[test]
fn no_failure_of_the_medium_makes_a_witness_forget() {
    const SIZES: [u64; 4] = [1, 2, 2, 7];
    let mut log = NaiveLog::new(9);
    let all = SimulatedFolder::new("records");
    follow(&all, &mut log, &SIZES);
    for failing in 1..=all.operations().len() {
        for seed in 0..soak::size(3, 6) {
            let folder = SimulatedFolder::new("records");
            folder.fail_at(failing, seed);
            let mut cosigned = follow(&folder, &mut log, &SIZES);
            // The readable state need not be durable; a second process continues from it.
            cosigned.extend(follow(&folder, &mut log, &[7]));
            let last = cosigned.iter().max_by_key(|head| head.size);
            for cut in 0..soak::size(3, 6) {
                check_left(&folder.after_power_cut(cut), &mut log, last);
            }
        }
    }
}

fn check_left(left: &SimulatedFolder, log: &mut NaiveLog, cosigned: Option<&TreeHead>) {
    let witness = witness(FolderRecords::open(left.layer()).unwrap());
    let recorded = witness.records().recorded(ORIGIN).unwrap();
    let least = cosigned.copied().unwrap_or_else(TreeHead::empty);
    assert!(recorded.size >= least.size, "{recorded:?} {least:?}");
    assert_eq!(recorded, log.head(recorded.size));
    for old_size in 0..=least.size {
        if least.size > 0 {
            let mut forked = fork(least.size);
            assert!(add(&witness, &forked.request(old_size, least.size)).is_err());
        }
        if old_size < least.size {
            assert!(add(&witness, &log.request(old_size, old_size)).is_err());
        }
    }
    add(&witness, &log.request(recorded.size, 9)).unwrap();
}

#[test]
fn damaged_records_are_not_taken_for_none() {
    let folder = tempfile::tempdir().unwrap();
    let open = || {
        let layer = Arc::new(Folder::open(folder.path()).unwrap());
        witness(FolderRecords::open(layer).unwrap())
    };
    let mut log = NaiveLog::new(9);
    add(&open(), &log.request(0, 7)).unwrap();
    let files = std::fs::read_dir(folder.path()).unwrap();
    let mut paths = files.map(|found| found.unwrap().path());
    let path = paths.find(|path| !path.ends_with("lock")).unwrap();
    let whole = std::fs::read(&path).unwrap();
    let refused: Vec<_> = [0, 1, 5, 7]
        .into_iter()
        .flat_map(|old_size| {
            let forked = fork(7).request(old_size, 7);
            [forked, log.request(old_size.min(6), 6)]
        })
        .collect();
    let [same, newer] = [7, 9].map(|size| log.request(7, size));
    // The step has no factor in common with the number of mutations of a byte.
    let mutations = mutations(&whole);
    for changed in mutations.iter().step_by(soak::size(5, 1)) {
        std::fs::write(&path, changed).unwrap();
        let witness = open();
        // Neither a fork nor an older checkpoint is cosigned. The honest log may have to wait for
        // the operator.
        for request in &refused {
            assert!(add(&witness, request).is_err());
        }
        if !matches!(
            add(&witness, &same),
            Ok(_) | Err(AddError::Record(FolderRecordsError::Damaged(_)))
        ) {
            // The record has another size or root, with which nothing is consistent.
            assert!(add(&witness, &newer).is_err());
        }
    }
    let now = Timestamp::from_seconds(9).unwrap();
    std::fs::write(&path, whole).unwrap();
    let body = newer.encode();
    open().add_checkpoint(body.as_bytes(), now).unwrap();
}
