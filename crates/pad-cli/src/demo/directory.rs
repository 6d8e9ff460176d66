//! A directory of some thousand objects. The client trusts neither its server nor the place where objects and hints lie.

use std::path::Path;

use pad::{
    SecretKey, Sha256Ed25519, Suite as _,
    block_directory::{
        BlockDirectory, CacheBudget, DirectoryClient, Entry, EntryId, EntryQuery, FullAuthor, Hint,
        client::AnswerError,
    },
    pad_core::{HeadSigner, codec},
    selection::{SchemeName, SuiteName},
};
use serde_json::json;

use super::{
    report::{Section, Table},
    scene::{Attack, broken},
};
use crate::cli::{Failure, Output};

type S = Sha256Ed25519;

const OBJECTS: u64 = 5_000;
const STEP: u32 = 7;
/// The object that is looked up, and one that is deleted.
const ASKED: EntryId = EntryId::new(1_234);
const DELETED: EntryId = EntryId::new(4_321);

/// A server, and what a client has stored.
struct Scene {
    author: FullAuthor<S>,
    client: DirectoryClient<S>,
    /// The hint of the entry that is asked for, as the object store has it.
    hint: Vec<u8>,
    /// An answer of the server about version 1.
    old_answer: Vec<u8>,
}

/// Registers the objects, looks one up with and without a hint, and lets server and object store lie.
pub(super) fn show(folder: &Path, output: &mut Output) -> Result<Section, Failure> {
    let scene = scene(&folder.join("objects"))?;
    let entries = scene.author.directory().registered();
    output.text(&format!(
        "\n6. Directory. {entries} objects by their digests, in a folder. The client trusts neither the server that keeps it nor the\n\
         \u{20}  place where objects and hints lie:",
    ))?;
    let (whole, short) = scene.sizes()?;
    let attacks = [
        scene.tampered_object()?,
        scene.poisoned_hint()?,
        scene.old_answer(),
        scene.other_entry()?,
    ];
    let lies = Table::of_lies("lie", &attacks)?;
    lies.print(output)?;
    let refused = attacks.len();
    let text = format!(
        "   A look-up has {whole} bytes, with its hint {short}; {refused} of {refused} lies about a directory refused.",
    );
    output.say(
        &text,
        &json!({
            "directory_entries": entries, "answer_bytes": whole, "answer_bytes_with_hint": short,
            "refused_directory_lies": refused,
        }),
    )?;
    Ok(Section {
        title: "Block directory",
        text: format!(
            "{entries} objects by their digests, each with a number, in a folder. The client trusts neither the server that keeps \
             the directory nor the place where objects and hints lie. A look-up has {whole} bytes; with the hint that is kept with \
             the object the answer has {short}."
        ),
        tables: vec![lies],
    })
}

fn object(id: EntryId) -> <S as pad::Suite>::Digest {
    S::value(format!("object {}", id.number()).as_bytes())
}

fn failed(error: impl core::fmt::Display) -> Failure {
    Failure::Store(error.to_string())
}

fn scene(path: &Path) -> Result<Scene, Failure> {
    let key = SecretKey::generate(SuiteName::Sha256Ed25519, SchemeName::Directory, None);
    let key = key.map_err(failed)?;
    let authority = key.public().authority;
    let directory = BlockDirectory::create(path, authority, STEP, CacheBudget::default())?;
    let mut author = FullAuthor::<S>::resume(directory, HeadSigner::new(key.signer()));
    for id in (0..OBJECTS).map(EntryId::new) {
        author.append(object(id))?;
    }
    author.snapshot()?;
    let mut client = DirectoryClient::new(authority, STEP);
    let (_, request) = client.ask(EntryQuery::one(DELETED));
    let old_answer = author.directory().answer(&request).map_err(failed)?;
    author.delete(DELETED).map_err(failed)?;
    author.snapshot()?;
    let (pending, request) = client.ask(EntryQuery::one(ASKED));
    let answer = author.directory().answer(&request).map_err(failed)?;
    let found = client.accept(&pending, &answer)?;
    if found.entries.get().of(ASKED) != Some(Entry::Live(object(ASKED))) {
        return Err(broken());
    }
    let hint = codec::encode::<Hint<S>>(&found.refreshed.ok_or_else(broken)?);
    Ok(Scene {
        author,
        client,
        hint,
        old_answer,
    })
}

impl Scene {
    fn answer(&self, request: &[u8]) -> Result<Vec<u8>, Failure> {
        self.author.directory().answer(request).map_err(failed)
    }

    /// The honest answer to a look-up with the hint.
    fn short_answer(&self) -> Result<Vec<u8>, Failure> {
        let (_, request) = self.client.ask_with_hint(ASKED, &object(ASKED), &self.hint);
        self.answer(&request)
    }

    /// The bytes of an answer without a hint, and with it.
    fn sizes(&self) -> Result<(usize, usize), Failure> {
        let (_, request) = self.client.ask(EntryQuery::one(ASKED));
        Ok((self.answer(&request)?.len(), self.short_answer()?.len()))
    }

    fn tampered_object(&self) -> Result<Attack, Failure> {
        let false_object = S::value(b"another object");
        let mut client = self.client.clone();
        let (pending, request) = client.ask_with_hint(ASKED, &false_object, &self.hint);
        let found = client.accept(&pending, &self.answer(&request)?)?;
        let is_refused = found.entries.get().of(ASKED) != Some(Entry::Live(false_object));
        Ok(Attack {
            name: "tampered object",
            story: "the store hands out another object, with the right hint".into(),
            refused: is_refused.then(|| "the entry is proved to be of another object".into()),
        })
    }

    /// The store puts the digest of its false object into the hint, and the server plays along.
    fn poisoned_hint(&self) -> Result<Attack, Failure> {
        let false_object = S::value(b"another object");
        let right = object(ASKED);
        let (right, wrong): (&[u8], &[u8]) = (right.as_ref(), false_object.as_ref());
        let place = self
            .hint
            .windows(right.len())
            .position(|bytes| bytes == right);
        let mut poisoned = self.hint.clone();
        let place = place.ok_or_else(broken)?;
        poisoned.splice(place..place + right.len(), wrong.iter().copied());
        let mut client = self.client.clone();
        let (pending, _) = client.ask_with_hint(ASKED, &false_object, &poisoned);
        let refused = match client.accept(&pending, &self.short_answer()?) {
            Err(AnswerError::HintFailed(error)) => Some(error.to_string()),
            _ => None,
        };
        Ok(Attack {
            name: "poisoned hint",
            story: "the store's hint is of a false object, and the server says that it matches"
                .into(),
            refused,
        })
    }

    fn old_answer(&self) -> Attack {
        let mut client = self.client.clone();
        let (pending, _) = client.ask(EntryQuery::one(DELETED));
        let refused = client.accept(&pending, &self.old_answer).err();
        Attack {
            name: "old answer",
            story: "a deleted entry is shown as of the version before, truly signed".into(),
            refused: refused.map(|error| error.to_string()),
        }
    }

    fn other_entry(&self) -> Result<Attack, Failure> {
        let mut client = self.client.clone();
        let (pending, _) = client.ask(EntryQuery::one(ASKED));
        let (_, other) = client.ask(EntryQuery::one(EntryId::new(ASKED.number() + 1)));
        let refused = client.accept(&pending, &self.answer(&other)?).err();
        Ok(Attack {
            name: "another entry",
            story: "the answer is about the entry beside it".into(),
            refused: refused.map(|error| error.to_string()),
        })
    }
}
