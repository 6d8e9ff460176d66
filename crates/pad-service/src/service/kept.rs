//! What a server has chosen to keep.

use pad::{Version, dynamic::AnyRepository};
use pad_client::Versions;
use web::server::StatusCode;

use crate::{dictionary::Dictionary, keep::Keep, refusal::Refusal};

/// The latest version, if there is one that has a head.
pub(super) fn existing(versions: Versions) -> Result<Version, Refusal> {
    match versions.latest {
        Version::EMPTY => {
            let text = "the dictionary has no version yet";
            Err(Refusal::new(StatusCode::NOT_FOUND, "unknown_version", text))
        }
        latest => Ok(latest),
    }
}

/// That the contents of a version are kept, as far as it is for this server to choose.
pub(super) fn kept(
    dictionary: &Dictionary,
    repository: &AnyRepository,
    version: Version,
) -> Result<(), Refusal> {
    let versions = dictionary.versions(repository);
    if dictionary.keep() != Keep::All && version < versions.oldest {
        return Err(Refusal::not_kept(versions));
    }
    head_kept(dictionary, repository, version)
}

/// The same of a head: those of older versions are all here.
pub(super) fn head_kept(
    dictionary: &Dictionary,
    repository: &AnyRepository,
    version: Version,
) -> Result<(), Refusal> {
    match dictionary.keep().until() {
        Some(until) if version > until => Err(Refusal::not_kept(dictionary.versions(repository))),
        _ => Ok(()),
    }
}

/// The same of an update: it is made from the contents of two versions, or dropped with the older one.
pub(super) fn update_kept(
    dictionary: &Dictionary,
    repository: &AnyRepository,
    version: Version,
) -> Result<(), Refusal> {
    kept(
        dictionary,
        repository,
        version.previous().unwrap_or_default(),
    )?;
    kept(dictionary, repository, version)
}
