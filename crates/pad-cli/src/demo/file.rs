//! A file on a server that nobody trusts, over the loopback interface: edited, audited, damaged and put back.

use core::{fmt, time::Duration};
use std::{
    fs,
    path::{Path, PathBuf},
};

use ed25519_dalek::SigningKey;
use flexlist::{
    chunk::Chunker,
    detection::Detection,
    edit::ByteEdit,
    tag::{OwnerKey, TagKind},
};
use flexlist_service::{
    client::{ClientError, Extent, FileClient, HttpOptions, HttpTransport, Owner},
    network::{Options, Running, Server},
    server::{FileServer, Limits},
};
use pad::{AuthorKey, Workers};
use serde_json::json;

use super::{
    report::{Section, Table},
    scene::{Attack, broken},
};
use crate::cli::{Failure, Output};

/// The owner, and the folder of the server.
struct Scene<'a> {
    folder: &'a Path,
    tags: OwnerKey,
}

/// Uploads a file, edits it, has it proved; then the server's disk fails, and an old copy takes its place.
pub(super) fn show(folder: &Path, output: &mut Output) -> Result<Section, Failure> {
    let mut file = text();
    output.text(&format!(
        "\n7. File. {} bytes on a server of its own, over the loopback interface. The owner keeps a key and a small file:",
        file.len(),
    ))?;
    let tags = OwnerKey::generate(TagKind::PrivateMac, &Workers::sequential()).map_err(failed)?;
    let scene = Scene { folder, tags };
    scene.upload(&file)?;
    copy(&scene.store(), &scene.older())?;
    let blocks = scene.edit(&mut file)?;
    let kept = fs::metadata(scene.state()).map_err(failed)?.len();
    let attacks = scene.faults(&file)?;

    let lies = Table::of_lies("fault", &attacks)?;
    lies.print(output)?;
    let (length, refused) = (file.len(), attacks.len());
    let text = format!(
        "The owner keeps {kept} bytes beside its key; {blocks} blocks proved to be there; {refused} of {refused} faults noticed."
    );
    output.say(
        &format!("   {text}"),
        &json!({ "file_bytes": length, "kept_bytes": kept, "noticed_faults": refused }),
    )?;
    Ok(Section {
        title: "Outsourced file",
        text: format!(
            "A file of {length} bytes on a server that nobody trusts: uploaded, edited in its middle, read back whole, and audited. {text}"
        ),
        tables: vec![lies],
    })
}

/// Where a sentence is inserted, and where the disk fails.
const PLACE: usize = 123_456;
const DAMAGED: usize = 200_000;

impl Scene<'_> {
    fn store(&self) -> PathBuf {
        self.folder.join("files")
    }

    /// A copy of the store from before the edit.
    fn older(&self) -> PathBuf {
        self.folder.join("older")
    }

    fn state(&self) -> PathBuf {
        self.folder.join("file.state")
    }

    fn upload(&self, file: &[u8]) -> Result<(), Failure> {
        fs::create_dir_all(self.store()).map_err(failed)?;
        let server = self.serve()?;
        let (owner, transport) = (self.owner()?, connect(&server)?);
        let client = FileClient::create(&self.state(), owner, transport, Chunker::default());
        let mut client = client.map_err(failed)?;
        client.upload(file, &mut |_| ()).map_err(failed)?;
        stop(server)
    }

    /// Inserts a sentence, reads all of the file back, and has it proved: how many blocks were.
    fn edit(&self, file: &mut Vec<u8>) -> Result<u64, Failure> {
        let server = self.serve()?;
        let mut client = self.client(&server)?;
        let sentence = b"one more sentence";
        file.splice(PLACE..PLACE, sentence.iter().copied());
        let (offset, bytes) = (u64::try_from(PLACE).map_err(failed)?, sentence.to_vec());
        let insertion = ByteEdit::Insert { offset, bytes };
        client.apply(&[insertion]).map_err(failed)?;
        let length = u64::try_from(file.len()).map_err(failed)?;
        if client.read(0..length).map_err(failed)? != *file {
            return Err(broken());
        }
        let detection = Detection::new(0.01, 0.99).map_err(failed)?;
        let audit = client.audit(Extent::Detect(detection), &mut |_| ());
        let blocks = audit.map_err(failed)?.blocks;
        stop(server)?;
        Ok(blocks)
    }

    /// The disk fails, and an old copy takes the store's place.
    fn faults(&self, file: &[u8]) -> Result<[Attack; 3], Failure> {
        flip_a_bit(
            &self.store(),
            file.get(DAMAGED..DAMAGED + 48).ok_or_else(broken)?,
        )?;
        let server = self.serve()?;
        let mut client = self.client(&server)?;
        let damaged = u64::try_from(DAMAGED).map_err(failed)?;
        let read = client.read(damaged..damaged + 10);
        let audited = client.audit(Extent::Everything, &mut |_| ());
        drop(client);
        stop(server)?;

        fs::remove_dir_all(self.store()).map_err(failed)?;
        copy(&self.older(), &self.store())?;
        let server = self.serve()?;
        let of_older = self.client(&server)?.audit(Extent::Everything, &mut |_| ());
        stop(server)?;
        Ok([
            attack(
                "damaged byte, read",
                "one bit of the file changed on the disk; the server sends its block all the same",
                read,
            ),
            attack(
                "damaged byte, audited",
                "the same bit, and the owner asks for proof of everything",
                audited,
            ),
            attack(
                "old copy",
                "put a copy from before the edit in the place of its store, truly signed",
                of_older,
            ),
        ])
    }

    fn serve(&self) -> Result<Running, Failure> {
        let store = self.store().join("store");
        let files = FileServer::open(&store, Limits::default(), Workers::sequential());
        let server = Server::bind("127.0.0.1:0", Options::default()).map_err(failed)?;
        server.start(files.map_err(failed)?).map_err(failed)
    }

    fn client(&self, server: &Running) -> Result<FileClient<HttpTransport, SigningKey>, Failure> {
        FileClient::open(&self.state(), self.owner()?, connect(server)?).map_err(failed)
    }

    fn owner(&self) -> Result<Owner<SigningKey>, Failure> {
        let signer = SigningKey::from_bytes(&[42; 32]);
        Ok(Owner {
            key: AuthorKey::from_bytes(&signer.verifying_key().to_bytes()).map_err(failed)?,
            signer,
            tags: self.tags.clone(),
        })
    }
}

fn connect(server: &Running) -> Result<HttpTransport, Failure> {
    let address = format!("http://{}", server.address());
    HttpTransport::new(&address, HttpOptions::default()).map_err(failed)
}

fn stop(server: Running) -> Result<(), Failure> {
    server.shutdown(Duration::from_secs(5));
    server.join().map(drop).map_err(failed)
}

/// What the owner says to it; that it was not answered is no refusal.
fn attack<T>(name: &'static str, story: &str, answer: Result<T, ClientError>) -> Attack {
    let refused = answer.err().filter(|error| {
        !matches!(
            error,
            ClientError::Transport(_) | ClientError::Refused(_) | ClientError::Unanswered(_)
        )
    });
    Attack {
        name,
        story: story.into(),
        refused: refused.map(|error| error.to_string()),
    }
}

/// Some text, no two lines alike.
fn text() -> Vec<u8> {
    (0..10_000_u32)
        .flat_map(|line| format!("line {line}: {:032x}\n", u128::from(line).pow(4)).into_bytes())
        .collect()
}

/// Copies the files of a folder.
fn copy(from: &Path, to: &Path) -> Result<(), Failure> {
    fs::create_dir_all(to).map_err(failed)?;
    for entry in fs::read_dir(from).map_err(failed)? {
        let entry = entry.map_err(failed)?;
        fs::copy(entry.path(), to.join(entry.file_name())).map_err(failed)?;
    }
    Ok(())
}

/// What the server never does, but its disk might: wherever these bytes stand.
fn flip_a_bit(folder: &Path, place: &[u8]) -> Result<(), Failure> {
    let mut found = 0;
    for entry in fs::read_dir(folder).map_err(failed)? {
        let path = entry.map_err(failed)?.path();
        let mut bytes = fs::read(&path).map_err(failed)?;
        let starts: Vec<usize> = bytes
            .windows(place.len())
            .enumerate()
            .filter_map(|(start, window)| (window == place).then_some(start))
            .collect();
        for start in &starts {
            *bytes.get_mut(*start).ok_or_else(broken)? ^= 1;
        }
        if !starts.is_empty() {
            fs::write(&path, bytes).map_err(failed)?;
        }
        found += starts.len();
    }
    if found == 0 {
        return Err(broken());
    }
    Ok(())
}

fn failed(error: impl fmt::Display) -> Failure {
    Failure::Store(error.to_string())
}
