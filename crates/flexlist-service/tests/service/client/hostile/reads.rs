//! Servers that lie about the blocks of a read.

use super::*;

/// A change of the proof and the blocks in the answer to a read.
type Tamper = fn(&mut Bytes, &mut Vec<ReadBlock>);

/// Reads bytes 100 to 300 while `tamper` changes the answer, which must fail with `expected`. The
/// bytes lie in four blocks from byte 64 on.
#[track_caller]
fn assert_detected(tamper: Tamper, expected: &ClientError) {
    let (world, mut client) = uploaded(1_000);
    world.wire.tamper(move |_, response| {
        if let Response::Read { list_proof, blocks } = response {
            assert_eq!(blocks.len(), 4);
            tamper(list_proof, blocks);
        }
    });
    assert_fails(client.read(100..300), expected);
    world.wire.be_honest();
    check(&mut client, &contents(1_000));
}

#[test]
fn lies_about_what_is_read() {
    let of_block = |tamper: Tamper, error| assert_detected(tamper, &ClientError::Blocks(error));
    let of_proof = |tamper: Tamper, error| assert_detected(tamper, &ClientError::Proof(error));
    let mismatch = AuditError::BlockMismatch { start: 128 };
    of_block(|_, blocks| blocks[1].data.0[5] ^= 1, mismatch);
    of_block(|_, blocks| shorten(&mut blocks[1].data.0), mismatch);
    let mismatch = AuditError::TagDigestMismatch { start: 128 };
    of_block(|_, blocks| blocks[1].committed.0[0] ^= 1, mismatch);
    of_block(|_, blocks| blocks.swap(1, 2), mismatch);
    let count = |actual| AuditError::TagCountMismatch {
        expected: 4,
        actual,
    };
    of_block(|_, blocks| drop(blocks.remove(1)), count(3));
    of_block(|_, blocks| blocks.insert(1, blocks[1].clone()), count(5));
    // One block replaces another.
    let mismatch = AuditError::TagDigestMismatch { start: 192 };
    of_block(|_, blocks| blocks[2] = blocks[1].clone(), mismatch);
    of_proof(|proof, _| shorten(&mut proof.0), ProofError::Truncated);
    of_proof(|proof, _| proof.0.push(0), ProofError::TrailingBytes);
    of_proof(|proof, _| flip(&mut proof.0), ProofError::RootMismatch);
}

/// Reads bytes 100 to 300 with `answer` as the server's response, which must fail with `expected`.
#[track_caller]
fn assert_refused(answer: fn(&World, &mut Client) -> Response, expected: &ClientError) {
    let (world, mut client) = uploaded(1_000);
    let answer = answer(&world, &mut client);
    (world.wire).answer(is_read, move |_, _| Ok(answer.clone()));
    assert_fails(client.read(100..300), expected);
}

fn honest(world: &World, request: &Request) -> Response {
    world.wire.server.exchange(request).unwrap()
}

fn honest_read(world: &World, client: &Client, range: Range<u64>) -> Response {
    let state = client.version().unwrap();
    let request = Request::Read {
        file: state.file,
        version: state.version,
        start: range.start,
        end: range.end,
    };
    honest(world, &request)
}

#[test]
fn answers_to_other_questions() {
    // Fewer or more blocks than requested.
    assert_refused(
        |world, client| honest_read(world, client, 100..200),
        &ClientError::Proof(ProofError::Elided),
    );
    assert_refused(
        |world, client| honest_read(world, client, 0..300),
        &ClientError::Proof(ProofError::SurplusNode),
    );
    // Blocks of the previous version.
    assert_refused(
        |world, client| {
            let old = honest_read(world, client, 100..300);
            client.apply(&[write(120, b"new")]).unwrap();
            old
        },
        &ClientError::Proof(ProofError::RootMismatch),
    );
    assert_refused(
        |world, client| {
            let old = honest_read(world, client, 100..300);
            client.apply(&[insert(120, b"new")]).unwrap();
            old
        },
        &ClientError::Proof(ProofError::TotalMismatch),
    );
    // A response of another kind.
    assert_refused(
        |world, client| {
            let file = client.file();
            honest(world, &Request::Status { file })
        },
        &ClientError::Unexpected,
    );
    assert_refused(
        |_, _| Response::Refused(Refusal::UnknownFile),
        &rollback(1, 0),
    );
}
