//! A client's [`TrustedView`] whose suite is known at run time only: what it remembers between
//! answers, so that a server cannot pass an old version off as the latest.

use pad_core::{
    Blake3Ed25519, Paper2010, Sha256Ed25519, SignedHead, Suite, TrustedView, Untrusted,
    VerifyError, Version, codec, history::ConsistencyProof,
};

use crate::{keys::PublicKey, question::Refusal, selection::SuiteName};

/// The newest version that a stored view has seen; version 0 without one.
///
/// # Errors
/// [`Refusal`] if the bytes are not a view of this dictionary.
pub fn seen(public: &PublicKey, view: Option<&[u8]>) -> Result<Version, Refusal> {
    match public.suite {
        SuiteName::Sha256Ed25519 => Ok(load::<Sha256Ed25519>(public, view)?.version()),
        SuiteName::Blake3Ed25519 => Ok(load::<Blake3Ed25519>(public, view)?.version()),
        SuiteName::Paper2010 => Ok(load::<Paper2010>(public, view)?.version()),
    }
}

/// The view after it has been offered the server's latest head, to be stored.
///
/// `head` is a [`SignedHead`] as a message, `consistency` a [`ConsistencyProof`] as one: needed
/// where the head is newer than one that the view has seen.
///
/// # Errors
/// [`Refusal`]: the head is not signed by the author, older than the newest one seen, another one
/// for the same version, or does not continue its history.
pub fn advance(
    public: &PublicKey,
    view: Option<&[u8]>,
    head: &[u8],
    consistency: Option<&[u8]>,
) -> Result<Vec<u8>, Refusal> {
    match public.suite {
        SuiteName::Sha256Ed25519 => advance_in::<Sha256Ed25519>(public, view, head, consistency),
        SuiteName::Blake3Ed25519 => advance_in::<Blake3Ed25519>(public, view, head, consistency),
        SuiteName::Paper2010 => advance_in::<Paper2010>(public, view, head, consistency),
    }
}

fn advance_in<S: Suite>(
    public: &PublicKey,
    view: Option<&[u8]>,
    head: &[u8],
    consistency: Option<&[u8]>,
) -> Result<Vec<u8>, Refusal> {
    let mut view = load::<S>(public, view)?;
    let head = Untrusted::<SignedHead<S>>::decode(head, head.len())?;
    let consistency = consistency
        .map(|proof| Untrusted::<ConsistencyProof<S>>::decode(proof, proof.len()))
        .transpose()?;
    view.advance(head, consistency)
        .map_err(|refused| refused.error)?;
    Ok(codec::encode(&view))
}

fn load<S: Suite>(public: &PublicKey, view: Option<&[u8]>) -> Result<TrustedView<S>, Refusal> {
    let Some(bytes) = view else {
        return Ok(TrustedView::new(public.authority));
    };
    let view: TrustedView<S> = codec::decode(bytes, bytes.len())?;
    if *view.authority() != public.authority {
        return Err(VerifyError::WrongDictionary.into());
    }
    Ok(view)
}
