//! Verifiers for a scheme that is chosen at run time.

use pad_core::{DecodeError, TrustedView, Version, codec};

pub use crate::description::{create_store, create_store_with, key_of_store, store_records};
use crate::{
    client_view::StoredView,
    family,
    keys::PublicKey,
    question::{NotOffered, Question, Refusal, Statement},
    selection::{SchemeFamily, with_suite},
    verifier::Verifier,
};

/// Creates a client that trusts the public key `public`.
///
/// Time: one check of the scheme's own key, which is slow for accumulators.
///
/// # Errors
/// [`Refusal::Decode`] if the scheme's own key is missing or malformed; [`Refusal::NotOffered`] for
/// block directories, which look up ids and have a separate client.
pub fn client(public: &PublicKey) -> Result<Box<dyn Verifier>, Refusal> {
    let nothing = with_suite!(public.suite, S => {
        codec::encode(&TrustedView::<S>::new(public.authority))
    });
    client_with(public, &nothing)
}

/// Creates a client from a view: it trusts the view's public key and has seen the view's newest
/// head. Unless the view contains no head, the client refuses newer versions ([`Refusal::Ahead`]),
/// and another head of the view's version.
///
/// To check answers about older versions of a log against the view, call
/// [`StoredView::check_past`].
///
/// # Errors
/// The errors of [`client`]; [`Refusal`] if the head does not verify.
pub fn client_of(view: &StoredView) -> Result<Box<dyn Verifier>, Refusal> {
    client_with(view.public(), view.seen())
}

/// Creates a client that has seen `seen`: a [`TrustedView`] as a message.
fn client_with(public: &PublicKey, seen: &[u8]) -> Result<Box<dyn Verifier>, Refusal> {
    if public.scheme.family() == SchemeFamily::Directory {
        let (what, scheme) = ("questions about keys", public.scheme.id());
        return Err(NotOffered { what, scheme }.into());
    }
    let client = with_suite!(public.suite, S => family::client::<S>(public, seen))?;
    client.ok_or(Refusal::Decode(DecodeError::Malformed))
}

/// Verifies an answer with only the public key, and returns the verified statement.
///
/// `answer` is the message of a [`pad_core::Response`]. To verify many answers, create the
/// [`client`] once.
///
/// # Errors
/// [`Refusal`].
pub fn verify(
    public: &PublicKey,
    version: Version,
    question: &Question,
    answer: &[u8],
) -> Result<Statement, Refusal> {
    client(public)?.check_at(version, question, answer)
}

/// Returns the maximum length, in bytes, of an answer to `question` that a client reads.
pub fn longest_answer(public: &PublicKey, question: &Question) -> usize {
    #[cfg(feature = "log")]
    if public.scheme.family().is_append_only() {
        return family::log::LONGEST_ANSWER;
    }
    let _ = public;
    question.longest_answer()
}
