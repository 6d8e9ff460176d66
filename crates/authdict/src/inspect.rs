//! Inspection of messages for human readers: the kind of a message, and the steps by which a proof
//! is checked.
//!
//! Each step is reported as a [`Line`] when it is made. For a tree's proof, the verifier itself
//! reports its steps ([`pad_tree::TreeProof::explain`]). The output therefore lists exactly the
//! verifier's computations. [`crate::dynamic::verify`] checks a proof against a question.

#![deny(
    clippy::indexing_slicing,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::arithmetic_side_effects
)]

use pad_core::{
    DecodeError, Key, Sha256Ed25519, SignedHead, SnapshotHead, Suite, Untrusted, Version, codec,
    internals::UpdateHead,
};

use crate::{
    family,
    keys::PublicKey,
    question::Refusal,
    selection::{SchemeFamily, SchemeName, SuiteName, with_suite},
};

mod kinds;

pub use kinds::{Kind, LONGEST, Role};

/// One line of a report: a step of a check, or a part of a message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// The name of the step or part, in a word or two.
    pub what: &'static str,
    /// The content of the part, or the result of the step.
    pub shown: LineContent,
    /// A remark about the content: where it comes from, or what follows from it.
    pub says: String,
}

/// The content of a [`Line`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LineContent {
    /// Arbitrary bytes chosen by users: keys and values.
    Bytes(Vec<u8>),
    /// Digits or a name.
    Text(String),
    /// A number.
    Number(u64),
}

/// A callback that receives the lines of a report.
pub type Note<'n> = &'n mut dyn FnMut(Line);

#[expect(
    clippy::needless_pass_by_value,
    reason = "digests, words and sentences stand here without an `&` each"
)]
pub(crate) fn text(note: Note<'_>, what: &'static str, shown: impl ToString, says: &str) {
    let (shown, says) = (LineContent::Text(shown.to_string()), says.to_owned());
    note(Line { what, shown, says });
}

pub(crate) fn bytes(note: Note<'_>, what: &'static str, shown: &[u8], says: &str) {
    let (shown, says) = (LineContent::Bytes(shown.to_owned()), says.to_owned());
    note(Line { what, shown, says });
}

pub(crate) fn number(note: Note<'_>, what: &'static str, shown: u64, says: &str) {
    let (shown, says) = (LineContent::Number(shown), says.to_owned());
    note(Line { what, shown, says });
}

/// Result of an inspection, returned after all lines are reported.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Inspection {
    /// The kind of the message.
    pub kind: Kind,
    /// The version of the message's head, or 0 for a proof file without a head; `None` for
    /// [`Role::Evidence`] and [`Role::Other`].
    pub version: Option<Version>,
    /// Whether the author's signature on the head was checked with the given key and is valid.
    pub is_signed: bool,
    /// Whether all steps of the proof's check were made, and the computed digest equals the root in
    /// the head. `true` only for proofs of tree schemes. Proofs of other schemes have to be
    /// verified separately.
    pub is_followed: bool,
}

/// The unverified head of a message, for a preview.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Headline {
    /// The scheme of the dictionary; `None` if this build does not know it.
    pub scheme: Option<SchemeName>,
    /// The id of the dictionary.
    pub dictionary: String,
    /// The version of the head.
    pub version: Version,
    /// The root digest in the head, in hexadecimal digits.
    pub root: String,
    /// The number of changes in an update; `None` for other messages.
    pub changes: Option<u64>,
}

/// Decodes the kind and the head of a message, without verifying them.
///
/// # Errors
/// [`DecodeError`] if `message` has no envelope, is of an unknown kind, or is malformed up to its
/// head.
pub fn headline(message: &[u8]) -> Result<(Kind, Option<Headline>), DecodeError> {
    let kind = Kind::of(message)?;
    let headline = with_suite!(kind.suite()?, S => {
        let (head, changes) = head_of::<S>(&kind, message)?;
        head.map(|SignedHead { head, .. }| Headline {
            scheme: SchemeName::from_id(head.scheme),
            dictionary: head.dictionary.to_string(),
            version: head.version,
            root: head.root.to_string(),
            changes,
        })
    });
    Ok((kind, headline))
}

type HeadAndChanges<S> = (Option<SignedHead<S>>, Option<u64>);

fn head_of<S: Suite>(kind: &Kind, message: &[u8]) -> Result<HeadAndChanges<S>, DecodeError> {
    let body = message.get(codec::ENVELOPE_LENGTH..).unwrap_or_default();
    Ok(match kind.role {
        Role::Head => (Some(codec::decode_body(body)?), None),
        Role::ProofFile => (codec::decode_start::<Option<SignedHead<S>>>(body)?, None),
        Role::Update => {
            let update = codec::decode_start::<UpdateHead<S>>(body)?;
            (Some(update.head), Some(update.operations()))
        }
        Role::Evidence | Role::Other => (None, None),
    })
}

/// Checks a head, a proof file or an update, and reports each step.
///
/// Without a public key, the signature is not checked. Proofs of tuples do not contain the queried
/// key, so their digests are computed only if `key` is given. Memory: the message, and one line of
/// the report.
///
/// # Errors
/// [`Refusal`] at the first step that fails, after the lines of earlier steps were reported.
pub fn inspect(
    public: Option<&PublicKey>,
    key: Option<&Key>,
    message: &[u8],
    note: Note<'_>,
) -> Result<Inspection, Refusal> {
    let kind = Kind::of(message)?;
    let says = format!("kind {} of {} bytes", kind.number, message.len());
    text(note, "message", kind.name, &says);
    with_suite!(kind.suite()?, S => inspect_in::<S>(&kind, public, key, message, note))
}

fn inspect_in<S: Suite>(
    kind: &Kind,
    public: Option<&PublicKey>,
    key: Option<&Key>,
    message: &[u8],
    note: Note<'_>,
) -> Result<Inspection, Refusal> {
    let (head, changes) = head_of::<S>(kind, message)?;
    let mut inspected = Inspection {
        kind: kind.clone(),
        version: head.map(|head| head.head.version),
        is_signed: false,
        is_followed: false,
    };
    let root = match (&head, kind.role) {
        (Some(head), _) => {
            inspected.is_signed = say_head(head, public, note)?;
            head.head.root
        }
        (None, Role::ProofFile) => {
            inspected.version = Some(Version::EMPTY);
            let says = "no head: version 0 is empty by definition";
            number(note, "version", 0, says);
            let empty = S::empty_tree();
            text(note, "root", empty, "of the empty dictionary");
            empty
        }
        (None, _) => return Ok(inspected),
    };
    if let Some(changes) = changes {
        let says = "what leads from the version before to this one";
        number(note, "changes", changes, says);
    }
    if kind.role == Role::ProofFile {
        let body = message.get(codec::ENVELOPE_LENGTH..).unwrap_or_default();
        let scheme = match (&head, public) {
            (Some(head), _) => SchemeName::from_id(head.head.scheme),
            (None, public) => public.map(|public| public.scheme),
        };
        let scheme_family = scheme.map(SchemeName::family);
        let is_tree = scheme_family.is_none_or(|family| family == SchemeFamily::Tree);
        let is_shown = if kind.is_of_tree() && is_tree {
            inspected.is_followed = family::tree::explain::<S>(body, &root, note)?;
            inspected.is_followed
        } else if kind.is_look_up_of_tuples() && scheme_family == Some(SchemeFamily::Tuple) {
            let scheme = scheme.map(SchemeName::id);
            let version = inspected.version.unwrap_or(Version::EMPTY);
            family::tuple::explain::<S>(scheme, version, key, body, note)?
        } else {
            false
        };
        if !is_shown {
            let says = "of such proofs only the head is shown; pad verify checks them";
            text(note, "proof", kind.name, says);
        }
    }
    Ok(inspected)
}

/// Reports the contents of a head, and verifies its signature if `public` is given. Returns whether
/// the signature was verified.
fn say_head<S: Suite>(
    signed: &SignedHead<S>,
    public: Option<&PublicKey>,
    note: Note<'_>,
) -> Result<bool, Refusal> {
    let SnapshotHead {
        scheme,
        dictionary,
        version,
        root,
        history,
    } = signed.head;
    let name = SchemeName::from_id(scheme).map_or("unknown here", SchemeName::name);
    text(note, "dictionary", dictionary, "whose head this is");
    let says = format!("number {:04x}, suite {}", scheme.0, S::NAME);
    text(note, "scheme", name, &says);
    number(note, "version", version.number(), "");
    text(note, "root", root, "signed: what is below must come to it");
    text(note, "history", history, "signed: the heads before it");
    let signature = hex::encode(signed.signature.to_bytes());
    let length = signed.head.signed_bytes().len();
    let Some(public) = public else {
        let says = format!("over {length} bytes; not checked, no public key is given");
        text(note, "signature", signature, &says);
        return Ok(false);
    };
    let verified = Untrusted::new(*signed).verify(&public.authority, &version);
    let says = match &verified {
        Ok(_) => format!(
            "over {length} bytes: good, by author {}",
            public.authority.author
        ),
        Err(error) => format!("over {length} bytes: not good, {error}"),
    };
    text(note, "signature", signature, &says);
    verified?;
    Ok(true)
}

/// Returns the suite with the number `number`, which the envelope of a message contains.
fn suite_numbered(number: u16) -> Result<SuiteName, DecodeError> {
    SuiteName::from_id(number).ok_or(DecodeError::WrongSuite {
        expected: Sha256Ed25519::ID.0,
        actual: number,
    })
}
