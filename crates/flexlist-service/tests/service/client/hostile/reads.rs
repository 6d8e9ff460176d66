//! Servers that lie about the blocks of a read.

use super::*;

/// Reads bytes 100 to 300 while `tamper` changes the answer. Returns the error. The bytes lie in
/// four blocks from byte 64 on.
fn lied_read(tamper: impl FnMut(&mut Bytes, &mut Vec<ReadBlock>) + Send + 'static) -> ClientError {
    let (world, mut client) = uploaded(1_000);
    let mut tamper = tamper;
    world.wire.tamper(move |_, response| {
        if let Response::Read { list_proof, blocks } = response {
            assert_eq!(blocks.len(), 4);
            tamper(list_proof, blocks);
        }
    });
    let error = client.read(100..300).unwrap_err();
    world.wire.be_honest();
    check(&mut client, &contents(1_000));
    error
}

#[test]
fn lies_about_what_is_read() {
    let start = 128;
    assert!(matches!(
        lied_read(|_, blocks| blocks[1].data.0[5] ^= 1),
        ClientError::Blocks(AuditError::BlockMismatch { start: at }) if at == start
    ));
    assert!(matches!(
        lied_read(|_, blocks| shorten(&mut blocks[1].data.0)),
        ClientError::Blocks(AuditError::BlockMismatch { start: at }) if at == start
    ));
    assert!(matches!(
        lied_read(|_, blocks| blocks[1].committed.0[0] ^= 1),
        ClientError::Blocks(AuditError::TagDigestMismatch { start: at }) if at == start
    ));
    assert!(matches!(
        lied_read(|_, blocks| blocks.swap(1, 2)),
        ClientError::Blocks(AuditError::TagDigestMismatch { start: at }) if at == start
    ));
    assert!(matches!(
        lied_read(|_, blocks| drop(blocks.remove(1))),
        ClientError::Blocks(AuditError::TagCountMismatch {
            expected: 4,
            actual: 3
        })
    ));
    assert!(matches!(
        lied_read(|_, blocks| blocks.insert(1, blocks[1].clone())),
        ClientError::Blocks(AuditError::TagCountMismatch {
            expected: 4,
            actual: 5
        })
    ));
    // One block replaces another.
    assert!(matches!(
        lied_read(|_, blocks| blocks[2] = blocks[1].clone()),
        ClientError::Blocks(AuditError::TagDigestMismatch { start: 192 })
    ));
    assert!(matches!(
        lied_read(|proof, _| shorten(&mut proof.0)),
        ClientError::Proof(ProofError::Truncated)
    ));
    assert!(matches!(
        lied_read(|proof, _| proof.0.push(0)),
        ClientError::Proof(ProofError::TrailingBytes)
    ));
    assert!(matches!(
        lied_read(|proof, _| {
            let last = proof.0.len() - 10;
            proof.0[last] ^= 1;
        }),
        ClientError::Proof(ProofError::RootMismatch)
    ));
}

/// Reads bytes 100 to 300 with `answer` as the server's response. Returns the error.
fn answered_read(answer: impl Fn(&World, &mut Client) -> Response) -> ClientError {
    let (world, mut client) = uploaded(1_000);
    let answer = answer(&world, &mut client);
    world.wire.tamper(move |request, response| {
        if matches!(request, Request::Read { .. }) {
            *response = answer.clone();
        }
    });
    client.read(100..300).unwrap_err()
}

fn read_request(client: &Client, range: Range<u64>) -> Request {
    let state = client.version().unwrap();
    Request::Read {
        file: state.file,
        version: state.version,
        start: range.start,
        end: range.end,
    }
}

#[test]
fn answers_to_other_questions() {
    // Fewer or more blocks than requested.
    let honest = |world: &World, request: &Request| world.wire.server.exchange(request).unwrap();
    assert!(matches!(
        answered_read(|world, client| honest(world, &read_request(client, 100..200))),
        ClientError::Proof(ProofError::Elided)
    ));
    assert!(matches!(
        answered_read(|world, client| honest(world, &read_request(client, 0..300))),
        ClientError::Proof(ProofError::SurplusNode)
    ));
    // Blocks of the previous version.
    assert!(matches!(
        answered_read(|world, client| {
            let old = honest(world, &read_request(client, 100..300));
            client.apply(&[write(120, b"new")]).unwrap();
            old
        }),
        ClientError::Proof(ProofError::RootMismatch)
    ));
    assert!(matches!(
        answered_read(|world, client| {
            let old = honest(world, &read_request(client, 100..300));
            client.apply(&[insert(120, b"new")]).unwrap();
            old
        }),
        ClientError::Proof(ProofError::TotalMismatch)
    ));
    // A response of another kind.
    assert!(matches!(
        answered_read(|world, client| {
            let file = client.file();
            honest(world, &Request::Status { file })
        }),
        ClientError::Unexpected
    ));
    assert!(matches!(
        answered_read(|_, _| Response::Refused(Refusal::UnknownFile)),
        ClientError::Rollback {
            known: 1,
            claimed: 0
        }
    ));
}
