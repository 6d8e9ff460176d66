//! A file on an untrusted server: uploaded, edited, read back and audited over HTTP. Then the
//! server loses a few bytes.
//!
//! Run with `cargo run --release -p examples --example outsourced_file`.

use std::{error::Error, fs, path::Path, time::Duration};

use ed25519_dalek::SigningKey;
use flexlist::{
    ByteEdit, Chunker, Detection, FileState,
    tag::{OwnerKey, TagKind},
};
use flexlist_service::{
    client::{
        ApplyOutcome, ClientError, Extent, FileClient, HttpOptions, HttpTransport, Owner, StateKey,
    },
    network::{Endpoint, Options, RunningServer, Server},
    server::{FileServer, Limits},
};
use pad_core::{AuthorKey, Workers};

type Client = FileClient<HttpTransport, SigningKey>;

fn main() -> Result<(), Box<dyn Error>> {
    let folder = tempfile::tempdir()?;

    // 1. The operator runs a server. (From the command line: `pad file serve --store DIR`.)
    let store = folder.path().join("server.redb");
    let server = serve(&store)?;
    println!("server: listening at {}", server.address());

    // 2. The owner has two keys: one signs file changes, the other makes the tags of blocks. From
    //    the first, a third key is derived, which authenticates the owner's state files.
    let tags = OwnerKey::generate(TagKind::PrivateMac, &Workers::sequential())?;

    // 3. The owner uploads a file, cut into content-defined blocks. It keeps only one small file.
    let mut file = novel();
    let state_file = folder.path().join("novel.state");
    let (owner, transport) = (owner(&tags)?, connect(&server)?);
    let mut client = Client::create(&state_file, owner, transport, Chunker::default())?;
    let uploaded = client.upload(file.as_slice(), &mut |_| ())?;
    println!("owner:  uploaded {}", describe(&uploaded));
    let kept = fs::metadata(&state_file)?.len();
    println!("owner:  keeps {kept} bytes");

    // 4. The owner edits the file at any offset. The server returns the nodes of its block list
    //    that the change read. The client computes the new root from these nodes.
    let place = 1_234_567;
    let sentence = b"This sentence was not there before. ";
    file.splice(place..place, sentence.iter().copied());
    let offset = u64::try_from(place)?;
    let bytes = sentence.to_vec();
    if let ApplyOutcome::Version(edited) = client.apply(&[ByteEdit::Insert { offset, bytes }])? {
        println!("owner:  inserted a sentence: {}", describe(&edited));
    }

    // 5. Any range can be read. Every byte is verified before it is returned.
    let read = client.read(offset..offset + 35)?;
    println!("owner:  reads \"{}\"", String::from_utf8(read)?);
    assert!(client.read(0..u64::try_from(file.len())?)? == file);

    // 6. An audit of a few hundred random blocks detects large losses. The size of the answer does
    //    not depend on the size of the file.
    let detection = Detection::new(0.01, 0.99)?;
    let report = client.audit(Extent::Detect(detection), &mut |_| ())?;
    println!(
        "owner:  audit passed, {} blocks: {detection}",
        report.blocks
    );

    // 7. The server's disk goes bad: one bit of the file flips.
    server.shutdown(Duration::from_secs(5));
    server.join()?;
    flip_a_bit(&store, &file[2_000_000..2_000_048])?;
    let server = serve(&store)?;

    // 8. An audit of every block names the damaged block. The owner's program needs only the state
    //    file and the keys, so it may have restarted in between.
    drop(client);
    let mut client = Client::open(&state_file, self::owner(&tags)?, connect(&server)?)?;
    match client.audit(Extent::Everything, &mut |_| ()) {
        Err(ClientError::Audit(failure)) => {
            println!("owner:  audit failed, damaged: bytes {:?}", failure.damaged);
            assert!(
                failure
                    .damaged
                    .iter()
                    .any(|range| range.contains(&2_000_000))
            );
        }
        other => return Err(format!("the damage went unnoticed: {other:?}").into()),
    }
    server.shutdown(Duration::from_secs(5));
    server.join()?;
    Ok(())
}

fn serve(store: &Path) -> Result<RunningServer, Box<dyn Error>> {
    let files = FileServer::open(store, Limits::default(), Workers::all_cores())?;
    let options = Options::default();
    let endpoint = Endpoint::new(files, options.limits);
    Ok(Server::bind("127.0.0.1:0", options)?.start(endpoint)?)
}

fn connect(server: &RunningServer) -> Result<HttpTransport, Box<dyn Error>> {
    let address = format!("http://{}", server.address());
    Ok(HttpTransport::new(&address, HttpOptions::default())?)
}

fn owner(tags: &OwnerKey) -> Result<Owner<SigningKey>, Box<dyn Error>> {
    // A real key comes from a key file; see `pad file keygen`.
    let signer = SigningKey::from_bytes(&[42; 32]);
    Ok(Owner {
        key: AuthorKey::from_bytes(&signer.verifying_key().to_bytes())?,
        state_key: StateKey::derive(signer.as_bytes()),
        signer,
        tags: tags.clone(),
    })
}

fn describe(state: &FileState) -> String {
    format!(
        "version {}, {} bytes, root {:.8}..",
        state.version,
        state.list.total,
        state.list.root.to_string()
    )
}

/// Three megabytes of text, no two lines alike.
fn novel() -> Vec<u8> {
    (0..75_000_u32)
        .flat_map(|line| format!("line {line}: {:032x}\n", u128::from(line).pow(4)).into_bytes())
        .collect()
}

/// Simulates a disk error: flips a bit at each occurrence of `place` in the store.
fn flip_a_bit(store: &Path, place: &[u8]) -> Result<(), Box<dyn Error>> {
    let mut bytes = fs::read(store)?;
    let found: Vec<usize> = (0..bytes.len() - place.len())
        .filter(|start| bytes[*start..].starts_with(place))
        .collect();
    assert!(!found.is_empty(), "the bytes are in the store");
    for start in found {
        bytes[start] ^= 1;
    }
    Ok(fs::write(store, bytes)?)
}

#[test]
fn runs() {
    main().unwrap();
}
