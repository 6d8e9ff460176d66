//! Tests of a log of heads whose medium fails.

use std::sync::Arc;

use authdict::Version;
use pad_disk::layer::{SimulatedFolder, replace};
use pad_service::{Dictionary, HeadLog, HeadLogError};
use transparency_log::store::StoreError;

use crate::{
    fixture::*,
    serve::{assert_unhealthy, text},
};

/// Returns a dictionary with three versions. Its log in `folder` contains the first two.
fn begin(folder: &SimulatedFolder) -> (Author, Dictionary, HeadLog) {
    let author = Author::of_tree();
    author.publish(&[("apple", "1")]);
    author.publish(&[("apple", "2")]);
    let dictionary = Dictionary::open(&author.path("s.pad")).unwrap();
    let log = HeadLog::open_in(folder.layer(), author.log_signer(), None, &dictionary).unwrap();
    assert_eq!(log.sizes().unwrap(), [2, 2]);
    author.publish(&[("apple", "3")]);
    assert!(dictionary.follow().unwrap());
    (author, dictionary, log)
}

/// Asserts that a new process that opens the log finds every head of the dictionary.
fn check(folder: &SimulatedFolder, author: &Author, dictionary: &Dictionary, size: u64) {
    let layer = folder.after_kill().layer();
    let opened = HeadLog::open_in(layer, author.log_signer(), None, dictionary);
    assert_eq!(opened.unwrap().sizes().unwrap(), [size, size]);
}

#[test]
fn whatever_fails_once_the_same_process_goes_on() {
    let folder = SimulatedFolder::new("/log");
    let (_author, dictionary, log) = begin(&folder);
    let first = folder.operations().len() + 1;
    assert!(log.grow(&dictionary).unwrap());
    let last = folder.operations().len();
    assert!(last > first + 4);
    for operation in first..=last {
        let folder = SimulatedFolder::new("/log");
        let (author, dictionary, log) = begin(&folder);
        folder.fail_at(operation, 7);
        let failed = log.grow(&dictionary).unwrap_err();
        let is_io = matches!(failed, HeadLogError::Store(StoreError::Io(_)));
        assert!(is_io, "{operation}: {failed}");
        assert!(log.has_failed(), "{operation}");
        // Published files can be read during all failures.
        assert!(log.file("checkpoint").unwrap().is_some());
        // The log recovers without a restart, because the next attempt opens it again.
        log.grow(&dictionary).unwrap();
        assert!(!log.has_failed(), "{operation}");
        assert_eq!(log.sizes().unwrap(), [3, 3], "{operation}");
        assert!(!log.grow(&dictionary).unwrap());
        author.publish(&[("apple", "4")]);
        dictionary.follow().unwrap();
        assert!(log.grow(&dictionary).unwrap());
        check(&folder, &author, &dictionary, 4);
    }
}

#[test]
fn a_full_disk_is_said_until_there_is_room_again() {
    let folder = SimulatedFolder::new("/log");
    let (author, dictionary, log) = begin(&folder);
    folder.set_capacity(folder.used());
    for _ in 0..5 {
        assert!(log.grow(&dictionary).is_err());
        assert!(log.has_failed());
        assert_eq!(log.sizes().unwrap()[1], 2);
    }
    // A new process can serve the published files.
    drop(log);
    let log = HeadLog::open_in(folder.layer(), author.log_signer(), None, &dictionary).unwrap();
    assert!(log.has_failed());
    assert!(log.file("checkpoint").unwrap().is_some());
    folder.set_capacity(u64::MAX);
    log.grow(&dictionary).unwrap();
    assert!(!log.has_failed());
    check(&folder, &author, &dictionary, 3);
}

#[test]
fn a_log_that_went_back_meanwhile_is_not_gone_on_with() {
    let folder = SimulatedFolder::new("/log");
    let (author, dictionary, log) = begin(&folder);
    let layer = folder.layer();
    let old = pad_disk::layer::read(&*layer, "signed", 1 << 20);
    let old = old.unwrap().unwrap();
    assert!(log.grow(&dictionary).unwrap());
    // An older copy is restored while the medium fails.
    let next = folder.operations().len() + 1;
    folder.fail_at(next, 7);
    author.publish(&[("apple", "4")]);
    dictionary.follow().unwrap();
    assert!(log.grow(&dictionary).is_err());
    replace(&*layer, "signed", &old).unwrap();
    for _ in 0..3 {
        let error = log.grow(&dictionary).unwrap_err();
        let is_replaced = matches!(error, HeadLogError::Replaced { signed: 3 });
        assert!(is_replaced, "{error}");
        assert!(log.has_failed());
        assert_eq!(log.sizes().unwrap()[0], 3);
    }
}

#[test]
fn health_and_metrics_say_that_a_log_has_failed() {
    let folder = SimulatedFolder::new("/log");
    let (_author, dictionary, log) = begin(&folder);
    let log = Arc::new(log);
    let dictionary = Arc::new(dictionary.logging(Arc::clone(&log)));
    let server = start(service_of(Arc::clone(&dictionary)));
    let said = |path: &str| text(&server, path);
    assert!(said("/health").contains(r#""status":"ok""#));
    assert!(said("/metrics").contains("pad_log_failed{dictionary=\"s\"} 0\n"));
    folder.set_capacity(folder.used());
    assert!(log.grow(&*dictionary).is_err());
    assert_unhealthy(&server);
    assert!(said("/metrics").contains("pad_log_failed{dictionary=\"s\"} 1\n"));
    folder.set_capacity(u64::MAX);
    log.grow(&*dictionary).unwrap();
    assert!(said("/health").contains(r#""status":"ok""#));
    assert_eq!(dictionary.latest(), Version::new(3));
}
