use ed25519_dalek::SigningKey;
use pad_core::{ApplyError, AuthorKey, HeadSigner, Workers, codec};

use super::*;
use crate::{
    author::{
        LogAuthor, LogRepository,
        support::{log, pair},
    },
    scheme::{AadCounted, AadFrontier},
    shape::Schedule,
};

/// An author of trees of up to 16 entries, and two servers.
fn parties<S: Scheme>(schedule: Schedule) -> (LogAuthor<S>, [LogRepository<S>; 2]) {
    let workers = Workers::sequential();
    let log = log::<S>(7, 4, schedule);
    let signer = SigningKey::from_bytes(&[3; 32]);
    let key = AuthorKey::from_bytes(signer.verifying_key().as_bytes()).unwrap();
    let server = || LogRepository::new(log.clone(), key, workers.clone()).unwrap();
    let servers = [server(), server()];
    let author = LogAuthor::new(log, key, HeadSigner::new(signer), workers).unwrap();
    (author, servers)
}

fn append<S: Scheme>(author: &mut LogAuthor<S>, count: usize) {
    for number in 0..count {
        let entry = pair(&format!("key {}", number % 5), &number.to_string());
        author.append(entry).unwrap();
    }
}

fn memory<S: Scheme>(server: &LogRepository<S>) -> Vec<u8> {
    codec::encode(&server.checkpoint())
}

/// Checks that copied nodes equal the nodes that a server makes itself, in all versions.
fn check_taken<S: Scheme>(schedule: Schedule, batches: &[usize]) {
    let (mut author, [mut taking, mut making]) = parties::<S>(schedule);
    for (number, count) in batches.iter().enumerate() {
        append(&mut author, *count);
        let built = author.snapshot_with_nodes().unwrap();
        if number % 3 == 2 {
            taking.apply(built.update()).unwrap();
        } else {
            taking.apply_built(&built).unwrap();
        }
        making.apply(built.update()).unwrap();
        assert_eq!(memory(&taking), memory(&making), "version {number}");
        // Nodes made ahead have the same progress in both.
        let [taken, made] = [&taking, &making].map(|server| server.entries().progress());
        assert_eq!(taken, made, "version {number}");
    }
    assert_eq!(taking.entries().size(), author.entries().size());
}

#[test]
fn taken_nodes_are_those_that_would_be_made() {
    let batches = [1, 7, 0, 9, 16, 3, 1, 1, 20, 8];
    for schedule in [Schedule::Eager, Schedule::Deferred] {
        check_taken::<AadCounted>(schedule, &batches);
    }
    check_taken::<AadFrontier>(Schedule::Eager, &[17, 3, 1]);
}

#[test]
fn nodes_that_do_not_fit_are_refused() {
    let (mut author, [mut server, mut other]) = parties::<AadCounted>(Schedule::Eager);
    append(&mut author, 9);
    let built = author.snapshot_with_nodes().unwrap();
    server.apply_built(&built).unwrap();
    append(&mut author, 9);
    let built = author.snapshot_with_nodes().unwrap();
    let before = memory(&server);
    let mut refused = |change: &dyn Fn(&mut BuiltUpdate<AadCounted>)| {
        let mut changed = built.clone();
        change(&mut changed);
        let refused = server.apply_built(&changed).unwrap_err();
        assert_eq!(memory(&server), before);
        refused
    };
    let mismatch = ApplyError::AttachmentMismatch;
    assert_eq!(refused(&|built| built.nodes.levels[0].clear()), mismatch);
    let twice = |built: &mut BuiltUpdate<_>| {
        let node = built.nodes.levels[1][0].clone();
        built.nodes.levels[1].push(node);
    };
    assert_eq!(refused(&twice), mismatch);
    let more = |built: &mut BuiltUpdate<_>| built.nodes.levels.push(built.nodes.levels[0].clone());
    assert_eq!(refused(&more), mismatch);
    let changed = |built: &mut BuiltUpdate<AadCounted>| built.nodes.levels[1][0].inner.0[0] ^= 1;
    assert_eq!(refused(&changed), ApplyError::RootMismatch);
    let lacking = |built: &mut BuiltUpdate<_>| drop(built.update.attachment.entries.pop());
    assert_eq!(refused(&lacking), ApplyError::RootMismatch);
    server.apply_built(&built).unwrap();
    for server in [&mut server, &mut other] {
        let refused = server.apply_built(&built);
        assert!(matches!(refused, Err(ApplyError::VersionGap { .. })));
    }
}
