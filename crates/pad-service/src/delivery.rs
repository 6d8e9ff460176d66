//! Deliveries of notes on versions by the author.

use authdict::{LookupError, VerifyError, internals::version_notes::verify_page};
use pad_client::internals::page_from_json;
use pad_web::server::{Answer, StatusCode};
use serde_json::json;

use crate::{refusal::Refusal, reply::uncached, served::ServedDictionary};

/// Stores a page of notes on versions that the author signed for delivery. Notes that the store has
/// already are kept.
pub(crate) fn take_notes(dictionary: &ServedDictionary, signed: &[u8]) -> Result<Answer, Refusal> {
    let dictionary = dictionary.all_keys()?;
    let refused = |_: VerifyError| {
        let text = "the author did not sign these notes for this dictionary";
        Refusal::unprocessable("notes_refused", text)
    };
    let page = verify_page(dictionary.public(), signed).map_err(refused)?;
    let notes = page_from_json(page).ok_or_else(|| {
        let text = "the notes cannot be decoded, or are no page";
        Refusal::bad_request("unreadable_notes", text)
    })?;
    notes.verify(dictionary.public()).map_err(refused)?;
    let latest = dictionary.latest();
    if let Some((version, _)) = notes.iter().find(|(version, _)| *version > latest) {
        return Err(LookupError::UnknownVersion { version, latest }.into());
    }
    let found = dictionary.take_notes(&notes)?;
    let object = json!({ "taken": found.taken, "different": found.different });
    Ok(uncached(StatusCode::OK, &object))
}
