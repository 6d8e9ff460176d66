//! Kills the server with `kill -9` during an upload and many updates. No acknowledged data may be
//! lost.
//!
//! `PAD_KILL_ROUNDS` sets the number of rounds. The default is 4; with `make soak`, it is 15.

use std::{path::Path, thread, time::Duration};

use authdict::internals::FileOwnerKey;
use ed25519_dalek::SigningKey;
use flexlist::{ByteEdit, Chunker, tag::TagKind};
use flexlist_service::client::{
    ApplyOutcome, ClientError, Extent, FileClient, HttpOptions, HttpTransport, SettleOutcome,
    Status,
};
use pad_conformance::{Random, soak};
use pad_core::Workers;

use crate::{bench::Bench, kill::wanted_rounds, process::Process};

type Client = FileClient<HttpTransport, SigningKey>;

#[test]
fn acknowledged_bytes_survive() {
    let rounds = wanted_rounds(soak::size(4, 15));
    let bench = Bench::new();
    let key = FileOwnerKey::generate(TagKind::default(), &Workers::sequential()).unwrap();
    let mut server = Process::of_files(&bench, "");
    let address = server.address.clone();

    let mut interrupted = 0;
    let mut updates = 0;
    for round in 0..rounds {
        let mut random = Random::new(round);
        // Every few rounds a new file is uploaded, so that kills also occur during uploads.
        let file = bench.path(&format!("state-{}", round / 3));
        let mut owner = OwnerSide::open(&file, &key, &address, round / 3);
        let delay = Duration::from_micros(random.below(400_000));
        let storm = thread::spawn(move || {
            owner.work(&mut random);
            owner
        });
        thread::sleep(delay);
        server.kill();
        let mut owner = storm.join().unwrap();
        interrupted += u64::from(owner.client.version().is_none() || owner.client.is_pending());

        server = Process::of_files_at(&bench, &address, "");
        updates += owner.applied;
        owner.settle_and_compare(round);
    }
    drop(server);
    bench.ok("file check --store server");
    println!("{rounds} rounds, {interrupted} in the middle of a request, {updates} updates");
}

/// An owner, and the expected bytes of its file.
struct OwnerSide {
    client: Client,
    model: Vec<u8>,
    /// An edit whose outcome is unknown.
    under_way: Option<ByteEdit>,
    applied: u64,
}

impl OwnerSide {
    /// Opens the owner of a file whose first contents are derived from `seed`, or of an existing
    /// file.
    fn open(state: &Path, key: &FileOwnerKey, address: &str, seed: u64) -> Self {
        let options = HttpOptions {
            attempts: 1,
            ..HttpOptions::default()
        };
        let transport = HttpTransport::new(&format!("http://{address}"), options).unwrap();
        let owner = key.owner();
        let fresh = !state.exists();
        let mut client = if fresh {
            let chunker = Chunker::fixed(4096).unwrap();
            FileClient::create(state, owner, transport, chunker).unwrap()
        } else {
            FileClient::open(state, owner, transport).unwrap()
        };
        let mut model = Random::new(seed ^ 0xfeed).bytes(3_000_000);
        if client.version().is_some() {
            // The file of earlier rounds was compared with its model at the end of each round.
            let total = client.version().unwrap().list.total;
            model = client.read(0..total).unwrap();
        }
        Self {
            client,
            model,
            under_way: None,
            applied: 0,
        }
    }

    /// Uploads the file and edits it, until the server is killed.
    fn work(&mut self, random: &mut Random) {
        if self.client.version().is_none() {
            match self.client.upload(self.model.as_slice(), &mut |_| ()) {
                Ok(_) => {}
                Err(ClientError::Transport(_)) => return,
                Err(error) => panic!("upload: {error}"),
            }
        }
        loop {
            let edit = random_edit(random, self.model.len());
            match self.client.apply(core::slice::from_ref(&edit)) {
                Ok(ApplyOutcome::Version(_) | ApplyOutcome::Unchanged(_)) => {
                    self.applied += 1;
                    apply(&mut self.model, &edit);
                }
                Err(ClientError::Transport(_)) => {
                    self.under_way = self.client.is_pending().then_some(edit);
                    return;
                }
                Err(error) => panic!("update: {error}"),
            }
        }
    }

    /// After a restart of the server, determines the outcome of the pending update, and compares
    /// every byte.
    fn settle_and_compare(&mut self, round: u64) {
        if self.client.version().is_none() {
            let upload = self.client.upload(self.model.as_slice(), &mut |_| ());
            upload.unwrap();
        }
        match (self.client.settle().unwrap(), self.under_way.take()) {
            (SettleOutcome::Nothing, None) => {}
            (SettleOutcome::Applied(_), Some(edit)) => apply(&mut self.model, &edit),
            (settled, edit) => panic!("round {round}: {settled:?} of {edit:?}"),
        }
        let status = self.client.status().unwrap();
        let is_current = matches!(status, Status::Current(_));
        assert!(is_current, "round {round}: {status:?}");
        let total = u64::try_from(self.model.len()).unwrap();
        let read = self.client.read(0..total).unwrap();
        assert!(read == self.model, "round {round}: other bytes");
        self.client.audit(Extent::Sample(460), &mut |_| ()).unwrap();
    }
}

fn apply(model: &mut Vec<u8>, edit: &ByteEdit) {
    let index = |index: &u64| usize::try_from(*index).unwrap();
    match edit {
        ByteEdit::Write { offset, bytes } => {
            let end = (index(offset) + bytes.len()).min(model.len());
            model.splice(index(offset)..end, bytes.iter().copied());
        }
        ByteEdit::Insert { offset, bytes } => {
            model.splice(index(offset)..index(offset), bytes.iter().copied());
        }
        ByteEdit::Delete { start, end } => {
            model.drain(index(start)..index(end));
        }
    }
}

/// Returns a random edit of a file of `length` bytes.
fn random_edit(random: &mut Random, length: usize) -> ByteEdit {
    let total = u64::try_from(length).unwrap();
    let size = 1 + random.below(20_000);
    let bytes = random.bytes(usize::try_from(size).unwrap());
    let kind = random.below(3);
    let offset = random.below(total + u64::from(kind < 2));
    match kind {
        0 => ByteEdit::Write { offset, bytes },
        1 => ByteEdit::Insert { offset, bytes },
        _ => ByteEdit::Delete {
            start: offset,
            end: (offset + size).min(total),
        },
    }
}
