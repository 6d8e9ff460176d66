//! A report of every part of a lookup proof of a tuple PAD.

use pad_core::{Key, Response, Suite, Version, codec};
use pad_tuple::{
    TupleProof, TupleScheme,
    internals::{Attested, Content, Part, ShownTuple},
};

use crate::{
    inspect::{Note, bytes, number, text},
    question::Refusal,
};

/// Reports, for each generation in a lookup proof, the key interval, its content, and the version
/// or epoch for which the content is signed.
///
/// # Errors
/// [`Refusal`] at the first step that fails. The signatures and other evidence are not checked,
/// because this check needs the author's keys.
pub(super) fn explain_design<S: Suite, D: TupleScheme<S>>(
    version: Version,
    key: Option<&Key>,
    body: &[u8],
    note: Note<'_>,
) -> Result<bool, Refusal> {
    let Response { proof, .. } = codec::decode_body::<Response<S, TupleProof<S, D>>>(body)?;
    if proof.seal.is_none() {
        text(note, "tuples", "none", "version 0 has no keys");
        return Ok(true);
    }
    for (older, epoch) in (1..).zip(&proof.epochs) {
        let says = format!("of generation {older} in version {version}, says generation 0");
        number(note, "epoch", *epoch, &says);
    }
    let instants = core::iter::once(version.number()).chain(proof.epochs.iter().copied());
    for (generation, (part, instant)) in proof.parts.iter().zip(instants).enumerate() {
        let place = u64::try_from(generation).unwrap_or(u64::MAX);
        let clock = if generation == 0 { "version" } else { "epoch" };
        let says = format!("asked for {clock} {instant}");
        number(note, "generation", place, &says);
        say_tuple(&part.tuple, key, note);
        if let Some(key) = key {
            let epochs: &[u64] = if generation == 0 { &proof.epochs } else { &[] };
            let digest = part.tuple.digest(key, generation, epochs)?;
            let says = "hash of generation, epochs, interval and content";
            text(note, "digest", digest, says);
        }
        say_evidence::<S, D>(part, instant, note);
    }
    Ok(true)
}

fn say_tuple<S: Suite>(tuple: &ShownTuple<S>, key: Option<&Key>, note: Note<'_>) {
    let upper = match tuple {
        ShownTuple::At { upper, .. } => {
            if let Some(key) = key {
                let says = "the interval begins at the key";
                bytes(note, "from", key.as_bytes(), says);
            } else {
                let says = "which the proof does not repeat";
                text(note, "from", "the key asked for", says);
            }
            upper
        }
        ShownTuple::Below { lower, upper, .. } => {
            let says = "the interval begins below the key";
            bytes(note, "from", lower.as_bytes(), says);
            upper
        }
    };
    match upper {
        Some(upper) => {
            let says = "no other key is between the two";
            bytes(note, "up to", upper.as_bytes(), says);
        }
        None => text(note, "up to", "the end of all keys", "no other key follows"),
    }
    match tuple {
        ShownTuple::At { content, .. } => match content {
            Content::Value(value) => {
                bytes(note, "value", value.as_bytes(), "of the key: this decides");
            }
            Content::Removed => {
                let says = "the key is absent: this decides";
                text(note, "content", "removed", says);
            }
            Content::Nothing => {
                let says = "it is no key of this generation: older ones are asked";
                text(note, "content", "nothing", says);
            }
        },
        ShownTuple::Below { content, .. } => {
            let what = match content {
                Content::Value(digest) => format!("a value of digest {digest}"),
                Content::Removed => "removed".into(),
                Content::Nothing => "nothing".into(),
            };
            let says = "of where the interval begins; the key is no key of this generation";
            text(note, "content", what, says);
        }
    }
}

fn say_evidence<S: Suite, D: TupleScheme<S>>(part: &Part<S, D>, instant: u64, note: Note<'_>) {
    let Attested { validity, chain } = D::attested(&part.evidence);
    if let Some(validity) = validity {
        number(note, "since", validity.since, "the tuple is there");
        let says = match validity.require(instant) {
            Ok(()) => format!("it is shown to be there; {instant} is in between"),
            Err(_) => format!("it is shown to be there; {instant} is not in between"),
        };
        number(note, "until", validity.until, &says);
    } else {
        let says = "the evidence is for this instant alone";
        number(note, "at", instant, says);
    }
    if let Some((revealed, link)) = chain {
        let says = format!("{revealed} steps of hashing lead from it to the anchor that is signed");
        text(note, "link", link, &says);
    }
    let length = codec::encode_body(&part.evidence).len();
    let length = u64::try_from(length).unwrap_or(u64::MAX);
    let says = "bytes, which pad verify checks with the key file";
    number(note, "evidence", length, says);
}
