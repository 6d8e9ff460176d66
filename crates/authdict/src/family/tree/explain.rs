//! Check of a tree's proof, with a report of every step.

use pad_core::{Key, Response, Suite, codec};
use pad_tree::{
    TreeProof,
    internals::{Content, Step},
};

use crate::{
    inspect::{Note, bytes, text},
    question::Refusal,
};

/// Reports every step of the check of a proof against a root. `body` is the body of a [`Response`].
/// The proof is not checked against a question, so one function explains the proofs of all
/// questions. Returns `true`.
///
/// # Errors
/// [`Refusal`] at the first step that fails.
pub(crate) fn explain<S: Suite>(
    body: &[u8],
    root: &S::Digest,
    note: Note<'_>,
) -> Result<bool, Refusal> {
    let Response { proof, .. } = codec::decode_body::<Response<S, TreeProof<S, Key>>>(body)?;
    let mut last = None;
    let explained = proof.explain(root, &mut |step| last = Some(say(&step, &mut *note)));
    let (digest, agrees) = (last.unwrap_or_default(), explained.is_ok());
    let says = if agrees {
        "the last digest is the root that is signed"
    } else {
        "the last digest is not the root that is signed, or the proof is malformed"
    };
    text(note, "computed root", digest, says);
    explained?;
    Ok(true)
}

/// Reports one step of the check of a proof to `note`, and returns the digest that the step
/// computes.
fn say<S: Suite>(step: &Step<'_, S>, note: Note<'_>) -> S::Digest {
    match *step {
        Step::Leaf {
            leaf,
            value,
            digest,
        } => {
            bytes(note, "leaf", leaf.key.as_bytes(), "a key of the tree");
            let says = match &leaf.content {
                Content::Value(value) => {
                    bytes(note, "value", value.as_bytes(), "its value");
                    "hash of the value"
                }
                Content::Digest(_) => {
                    "from the proof: the key only shows where another one is, or would be"
                }
            };
            text(note, "value digest", value, says);
            text(note, "digest", digest, "hash of key and value digest");
            digest
        }
        Step::LeftElided { sibling, digest } => {
            text(note, "left sibling", sibling, "of what is not shown");
            let says = "one up: hash of left sibling and digest";
            text(note, "digest", digest, says);
            digest
        }
        Step::RightElided { sibling, digest } => {
            text(note, "right sibling", sibling, "of what is not shown");
            let says = "one up: hash of digest and right sibling";
            text(note, "digest", digest, says);
            digest
        }
        Step::Joined {
            left,
            right,
            digest,
            adjacent,
        } => {
            text(note, "left part", left, "made last");
            text(note, "right part", right, "made before that");
            let says = if adjacent {
                "one up: hash of both; no key is between their leaves"
            } else {
                "one up: hash of both; there are keys between their leaves"
            };
            text(note, "digest", digest, says);
            digest
        }
        Step::Empty { digest } => {
            text(note, "digest", digest, "of a tree without entries");
            digest
        }
    }
}
