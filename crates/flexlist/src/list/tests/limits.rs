//! Owners that choose levels against the server: work is proportional to stored and sent data.

use pad_conformance::soak;

use super::{
    super::{
        Block, FlexList, MAX_PROOF_BYTES, Operation, Sha256, verify_indices, verify_range,
        verify_update,
    },
    forge::{Random, Tree, block, build, insert},
};
use crate::error::{ProofError, UpdateError};

/// Returns `length` blocks of level 0. They form one chain, so a path is as long as the list.
fn chain(length: usize) -> Vec<Block> {
    vec![block(1, 0, 7); length]
}

#[test]
fn many_blocks_of_a_chain_cost_one_walk() {
    let length = 50_000_u64;
    let list = build(&chain(usize::try_from(length).unwrap()));
    let odd: Vec<u64> = (0..length).filter(|index| index % 2 == 1).collect();
    // Root, sentinel and blocks are visited once each, by server and client, for any query.
    // Separate searches for each block would make 10^9 visits.
    let (mut for_indices, mut for_range) = (0, 0);
    let view = list.current();
    view.search_indices(&odd, usize::MAX, |_| for_indices += 1)
        .unwrap();
    view.search_range(0..length, usize::MAX, |_| for_range += 1)
        .unwrap();
    assert_eq!((for_indices, for_range), (length + 2, length + 2));
    // With a limit, the walk stops there.
    let all = view.find_range(0..length).unwrap();
    for most in [0, 1, 3] {
        let (mut for_indices, mut for_range) = (0, 0);
        let some = view.search_range(5..length, most, |_| for_range += 1);
        assert_eq!(some.unwrap(), all[5..][..most]);
        let some = view.search_indices(&[9, 1, 2, 1], most, |_| for_indices += 1);
        let wanted = [all[1], all[2], all[9]];
        assert_eq!(some.unwrap(), wanted[..most]);
        assert!(for_range <= 12 && for_indices <= 12);
        let in_range = view.find_range_up_to(5..length, most);
        assert_eq!(in_range, Ok(all[5..][..most].to_vec()));
        let found = view.find_all_up_to(&[9, 1, 2, 1], most);
        assert_eq!(found, Ok(wanted[..most].to_vec()));
    }
    let proof = list.prove_range(0..length).unwrap();
    let proven = verify_range::<Sha256>(&proof, &list.state(), 0..length).unwrap();
    assert_eq!(proven.get().len(), usize::try_from(length).unwrap());
    let proof = list.prove(&odd).unwrap();
    let proven = verify_indices::<Sha256>(&proof, &list.state(), &odd).unwrap();
    assert_eq!(proven.get().len(), odd.len());
    assert_eq!(proven.get().last().unwrap().start, length - 1);
}

#[test]
fn many_changes_at_the_end_of_a_chain_are_refused() {
    let append = |start: u64, count: u64| -> Vec<Operation> {
        (start..start + count)
            .map(|index| insert(index, block(1, 0, 9)))
            .collect()
    };
    // The limit applies to the batch as a whole: a few long paths are allowed.
    let mut list = build(&chain(20_000));
    let before = list.state();
    let few = append(20_000, 10);
    let change = list.update(&few).unwrap();
    let next = verify_update::<Sha256>(&change.witness, &before, &few).unwrap();
    assert_eq!(*next.get(), list.state());

    // A batch that would take 10^7 reads, or 2 * 10^8 for four times the operations. Both exceed
    // the limit of a batch.
    let mut server = build(&chain(20));
    let before = server.state();
    let many = append(20, soak::size(5_000, 20_000));
    let refused = server.update(&many).unwrap_err();
    assert_eq!(refused, UpdateError::BatchTooLarge);
    assert_eq!(server.state(), before);
    assert_eq!(server.arena.leaves.taken(), 21);
    // Server and client agree on the limit.
    let whole = Tree::of(&server).bytes();
    let refused = verify_update::<Sha256>(&whole, &before, &many).unwrap_err();
    assert_eq!(refused, ProofError::Operation(UpdateError::BatchTooLarge));
}

#[test]
fn what_no_client_reads_is_not_sent() {
    // A leaf is 35 bytes, so all of them exceed the limit of a client.
    let length = MAX_PROOF_BYTES / 35 + 1;
    let mut list = build(&chain(length));
    let (before, total) = (list.state(), list.total());
    let refused = list.prove_range(0..total).unwrap_err();
    assert_eq!(refused, UpdateError::BatchTooLarge);
    let refused = list.prove(&[total - 1]).unwrap_err();
    assert_eq!(refused, UpdateError::BatchTooLarge);
    let last = [Operation::Remove { index: total - 1 }];
    assert_eq!(list.update(&last).unwrap_err(), UpdateError::BatchTooLarge);
    assert_eq!(list.state(), before);
    assert_eq!(list.arena.leaves.taken(), length + 1);
    // A proof just below the limit is sent and accepted.
    if soak::enabled() {
        let end = total - 10;
        let proof = list.prove_range(0..end).unwrap();
        assert!(proof.len() <= MAX_PROOF_BYTES);
        let proven = verify_range::<Sha256>(&proof, &before, 0..end).unwrap();
        assert_eq!(proven.get().len(), length - 10);
    }
}

#[test]
fn the_highest_levels_cost_no_more_than_others() {
    let mut random = Random(3);
    for level in [0, 61, 62] {
        let blocks = vec![block(2, level, 1); 300];
        let mut list: FlexList = build(&blocks);
        let mut model = blocks;
        for _ in 0..20 {
            let before = list.state();
            let operations: Vec<Operation> = (0..50)
                .map(|_| {
                    let at = random.index(model.len() + 1);
                    model.insert(at, block(2, level, 3));
                    insert(2 * u64::try_from(at).unwrap(), block(2, level, 3))
                })
                .collect();
            let change = list.update(&operations).unwrap();
            let next = verify_update::<Sha256>(&change.witness, &before, &operations).unwrap();
            assert_eq!(*next.get(), list.state());
            list.forget(change.previous);
            assert_eq!(list.state(), build(&model).state());
        }
    }
}
