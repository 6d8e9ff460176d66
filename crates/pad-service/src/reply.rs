//! Responses with cache headers.

use pad_web::server::{Answer, HeaderValue, StatusCode, header};
use serde_json::{Map, Value};
use sha2::{Digest as _, Sha256};

/// Cache lifetime of a response.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CacheLifetime {
    /// The response may be cached forever, because it is about a fixed version.
    Forever,
    /// The response may be cached for one second, because it changes with the next version. A
    /// client cannot detect such a short delay.
    Moment,
    /// The response must be revalidated before each use.
    Once,
}

impl CacheLifetime {
    const fn directive(self) -> &'static str {
        match self {
            Self::Forever => "public, max-age=31536000, immutable",
            Self::Moment => "public, max-age=1",
            Self::Once => "no-cache",
        }
    }
}

/// Content type of encoded messages.
pub(crate) const MESSAGE: &str = "application/octet-stream";
/// Content type of JSON objects.
pub(crate) const OBJECT: &str = "application/json";
/// Content type of text.
pub(crate) const TEXT: &str = "text/plain; charset=utf-8";

/// Builds a response with an entity tag. If the client already has this tag, builds
/// `304 Not Modified`.
pub(crate) fn reply(
    content_type: &'static str,
    body: Vec<u8>,
    lasts: CacheLifetime,
    if_none_match: Option<&HeaderValue>,
) -> Answer {
    let tag = tag(&[&body]);
    let is_known = if_none_match.is_some_and(|known| matches(known, &tag));
    tagged((content_type, body, lasts), &tag, is_known)
}

/// Builds the response with the description of the HTTP interface.
pub(crate) fn description(if_none_match: Option<&HeaderValue>) -> Answer {
    let text = include_str!("../openapi.json");
    reply(OBJECT, text.into(), CacheLifetime::Once, if_none_match)
}

/// Builds the response to a health check: status 200 without reasons, otherwise 503. Adds `status`
/// and `reasons` to the fields of `health`.
pub(crate) fn health_reply(
    mut health: Map<String, Value>,
    reasons: &[&str],
    if_none_match: Option<&HeaderValue>,
) -> Answer {
    let is_well = reasons.is_empty();
    health.insert(
        "status".into(),
        if is_well { "ok" } else { "failing" }.into(),
    );
    if !is_well {
        health.insert("reasons".into(), reasons.into());
    }
    let object = Value::from(health);
    if is_well {
        let body = object.to_string().into_bytes();
        return reply(OBJECT, body, CacheLifetime::Once, if_none_match);
    }
    uncached(StatusCode::SERVICE_UNAVAILABLE, &object)
}

/// Builds a response with a JSON object that no cache stores.
pub(crate) fn uncached(status: StatusCode, object: &Value) -> Answer {
    Answer::new(status, OBJECT, object.to_string())
        .with(header::CACHE_CONTROL, HeaderValue::from_static("no-store"))
}

/// Returns `answer`. If its body has more than `most` bytes, returns the response with which the
/// web server would replace it, after the first one was counted.
pub(crate) fn within(answer: Answer, most: usize) -> Answer {
    if answer.body.len() <= most {
        return answer;
    }
    Answer::text(StatusCode::INTERNAL_SERVER_ERROR, "the server failed")
}

/// Builds a response with the given entity tag, or `304 Not Modified` if `is_known`.
pub(crate) fn tagged(
    (content_type, body, lasts): (&'static str, Vec<u8>, CacheLifetime),
    tag: &str,
    is_known: bool,
) -> Answer {
    let answer = if is_known {
        Answer {
            status: StatusCode::NOT_MODIFIED,
            headers: Vec::with_capacity(2),
            body: Vec::new(),
        }
    } else {
        Answer::new(StatusCode::OK, content_type, body)
    };
    let answer = answer.with(
        header::CACHE_CONTROL,
        HeaderValue::from_static(lasts.directive()),
    );
    match HeaderValue::from_str(tag) {
        Ok(tag) => answer.with(header::ETAG, tag),
        Err(_) => answer,
    }
}

/// Returns a strong entity tag: half of the SHA-256 digest of `parts`.
pub(crate) fn tag(parts: &[&[u8]]) -> String {
    let digest = parts.iter().fold(Sha256::new(), Sha256::chain_update);
    let digest = digest.finalize();
    let half = digest.get(..16).unwrap_or(&digest);
    format!("\"{}\"", hex::encode(half))
}

/// Returns whether the list in `If-None-Match` contains `tag`. Weak tags match, too.
pub(crate) fn matches(known: &HeaderValue, tag: &str) -> bool {
    let Ok(known) = known.to_str() else {
        return false;
    };
    let mut tags = known.split(',').map(str::trim);
    tags.any(|known| known == "*" || known.strip_prefix("W/").unwrap_or(known) == tag)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn health_has_status_503_and_reasons_if_there_are_reasons() {
        let health = || Map::from_iter([("latest".to_owned(), 3.into())]);
        let well = health_reply(health(), &[], None);
        assert_eq!(well.status, StatusCode::OK);
        assert_eq!(well.body, br#"{"latest":3,"status":"ok"}"#);
        let failing = health_reply(health(), &["no reason"], None);
        assert_eq!(failing.status, StatusCode::SERVICE_UNAVAILABLE);
        let body = br#"{"latest":3,"reasons":["no reason"],"status":"failing"}"#;
        assert_eq!(failing.body, body);
    }

    #[test]
    fn a_copy_is_known_by_its_tag() {
        let body = b"head".to_vec();
        let tag = tag(&[&body]);
        let other = super::tag(&[b"other"]);
        for (known, status) in [
            (None, StatusCode::OK),
            (Some(tag.clone()), StatusCode::NOT_MODIFIED),
            (Some(format!("{other}, {tag}")), StatusCode::NOT_MODIFIED),
            (Some(format!("W/{tag}")), StatusCode::NOT_MODIFIED),
            (Some("*".into()), StatusCode::NOT_MODIFIED),
            (Some(other), StatusCode::OK),
            (Some(tag.trim_matches('"').into()), StatusCode::OK),
        ] {
            let known = known.map(|known| HeaderValue::from_str(&known).unwrap());
            let answer = reply(
                MESSAGE,
                body.clone(),
                CacheLifetime::Forever,
                known.as_ref(),
            );
            assert_eq!(answer.status, status, "{known:?}");
            assert_eq!(answer.body.is_empty(), status == StatusCode::NOT_MODIFIED);
            let immutable = HeaderValue::from_static("public, max-age=31536000, immutable");
            assert!(answer.headers.contains(&(header::CACHE_CONTROL, immutable)));
        }
    }
}
