//! Demonstrates a directory of 5,000 objects. The client trusts neither the server nor the store of
//! objects and hints.

use block_directory::{
    AnswerError, BlockDirectory, DirectoryClient, Entry, EntryId, EntryQuery, FullAuthor,
};
use ed25519_dalek::SigningKey;
use pad_core::{Suite as _, codec};

use crate::{
    dictionary::S,
    report::{Act, Outcome, lies},
};

const OBJECTS: u64 = 5_000;
/// The base-2 logarithm of the number of entries in a block of the directory.
const STEP: u32 = 7;
/// The object that is looked up, the one after it, and one that is deleted.
const ASKED: EntryId = EntryId::new(1_234);
const NEXT: EntryId = EntryId::new(1_235);
const DELETED: EntryId = EntryId::new(4_321);

/// Registers the objects, looks one up with and without a hint, and has server and object store
/// return false data.
pub(crate) fn show() -> Outcome<Act> {
    let object = |id: EntryId| S::value(format!("object {}", id.number()).as_bytes());
    let mut author = FullAuthor::<S>::new("objects", SigningKey::from_bytes(&[7; 32]))?;
    let mut server = BlockDirectory::<S>::new(*author.authority(), STEP)?;
    let mut client = DirectoryClient::<S>::new(*author.authority(), STEP);
    for id in (0..OBJECTS).map(EntryId::new) {
        author.append(object(id))?;
    }
    server.apply(&author.snapshot()?)?;
    let (_, request) = client.ask(EntryQuery::one(DELETED));
    let old = server.answer(&request)?;
    author.delete(DELETED)?;
    server.apply(&author.snapshot()?)?;
    let (pending, request) = client.ask(EntryQuery::one(ASKED));
    let whole = server.answer(&request)?;
    let found = client.accept(&pending, &whole)?;
    if found.entries.get().of(ASKED) != Some(Entry::Live(object(ASKED))) {
        return Err("the directory has another object".into());
    }
    let hint = codec::encode(&found.refreshed.ok_or("no hint")?);
    let (_, request) = client.ask_with_hint(ASKED, &object(ASKED), &hint);
    let short = server.answer(&request)?;
    let client = || client.clone();

    // The store returns another object, first with the right hint, then with the other object's
    // hint.
    let (right, wrong) = (object(ASKED), S::value(b"another object"));
    let (pending, request) = client().ask_with_hint(ASKED, &wrong, &hint);
    let found = client().accept(&pending, &server.answer(&request)?)?;
    let entry = found
        .entries
        .get()
        .of(ASKED)
        .filter(|entry| *entry == Entry::Live(wrong));
    let tampered = entry.ok_or("the entry is proved to be of another object");
    let mut poisoned = hint.clone();
    let place = hint.windows(32).position(|bytes| bytes == right.0);
    let place = place.ok_or("the hint lacks the object")?;
    poisoned[place..place + 32].copy_from_slice(&wrong.0);
    let (pending, _) = client().ask_with_hint(ASKED, &wrong, &poisoned);
    let poisoned = match client().accept(&pending, &short) {
        Err(AnswerError::HintFailed(error)) => Err(error),
        Err(other) => return Err(other.into()),
        Ok(_) => Ok(()),
    };
    let (pending, _) = client().ask(EntryQuery::one(DELETED));
    let old = client().accept(&pending, &old);
    let (pending, _) = client().ask(EntryQuery::one(ASKED));
    let (_, request) = client().ask(EntryQuery::one(NEXT));
    let other = client().accept(&pending, &server.answer(&request)?);
    let lies = lies! {
        "tampered object": "the store returned another object", tampered;
        "poisoned hint": "the store returned the hint of another object", poisoned;
        "old answer": "answered about a deleted entry with the version before", old;
        "another entry": "answered about the next entry", other;
    };
    let (whole, short, n) = (whole.len(), short.len(), lies.len());
    let text = format!(
        "Digests of {OBJECTS} objects, each under a number. The client trusts neither the \
         server\n\
         nor the store of objects and hints. An answer has {whole} bytes. With a hint, which is\n\
         stored with the object, it has {short}. {n} of {n} lies about a directory refused."
    );
    Ok(Act("Block directory", text, Vec::new(), lies))
}
