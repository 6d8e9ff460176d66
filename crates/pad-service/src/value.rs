//! Values without proofs: the server's word, with a link to the proof.

use authdict::{Key, Question, Statement, Version, verify};
use pad_client::internals::Resource;
use pad_web::server::{Answer, HeaderName, HeaderValue, header};

use crate::{
    Service,
    refusal::Refusal,
    reply::{CacheLifetime, MESSAGE, reply},
    served::{Contents, ServedDictionary},
};

/// Header with the version of a value.
const VERSION: HeaderName = HeaderName::from_static("pad-version");

impl Service {
    /// Returns the response with the value of a key in a version, or in the latest version for
    /// `None`.
    pub(crate) fn plain_value(
        &self,
        dictionary: &ServedDictionary,
        (version, key): (Option<Version>, Key),
        known: Option<&HeaderValue>,
    ) -> Result<Answer, Refusal> {
        let lasts = match version {
            Some(_) => CacheLifetime::Forever,
            None => CacheLifetime::Moment,
        };
        let question = Question::Key(key);
        let found = dictionary.read(|contents| self.value(contents, version, &question));
        let (version, value) = found?;
        Ok(with_proof(
            reply(MESSAGE, value, lasts, known),
            version,
            &question,
        ))
    }

    /// Returns the value of a key in a version, or in the latest version for `None`. Also returns
    /// the version. Refuses keys without a value, and families whose keys have several values.
    ///
    /// The value is taken from the answer to `question`, which a server of any family can give.
    fn value(
        &self,
        contents: &Contents<'_>,
        version: Option<Version>,
        question: &Question,
    ) -> Result<(Version, Vec<u8>), Refusal> {
        let version = version.map_or_else(|| contents.existing(), Ok)?;
        contents.check_asked(version, question)?;
        let answer = self.ask(contents.asked, version, question)?;
        match verify(contents.public, version, question, &answer) {
            Ok(Statement::Lookup(lookup)) => match lookup.answer {
                authdict::Answer::Present(value) => Ok((version, value.into_bytes().into())),
                authdict::Answer::Absent => Err(absent(version)),
            },
            Ok(_) => Err(Refusal::unprocessable(
                "not_offered",
                "keys of this dictionary have several values or none: ask for an answer",
            )),
            Err(error) => {
                tracing::error!(%error, "the answer to a look-up does not verify");
                Err(Refusal::failed())
            }
        }
    }
}

/// Adds the version of a value to a response, and a link to the proof: the answer to `question`.
///
/// The link is relative to the path of the value, because a proxy may change what precedes it.
pub(crate) fn with_proof(answer: Answer, version: Version, question: &Question) -> Answer {
    let path = Resource::Answer(version, question.clone()).path();
    let answer = answer.with(VERSION, HeaderValue::from(version.number()));
    match HeaderValue::try_from(format!("<../{path}>; rel=\"describedby\"")) {
        Ok(link) => answer.with(header::LINK, link),
        Err(_) => answer,
    }
}

/// Refusal of a look-up of an absent key.
fn absent(version: Version) -> Refusal {
    let text = format!("version {version} does not contain the key");
    Refusal::not_found("absent", text)
}
