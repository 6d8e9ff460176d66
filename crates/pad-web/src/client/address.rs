//! Addresses of servers.

use ureq::http::Uri;

use super::{HttpError, http::without_password};

/// The address of a server: its origin, such as `https://host:443`, and a path prefix.
///
/// Parsing is strict: an invalid port, a query or a fragment is an error.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Address {
    origin: String,
    path: String,
    is_encrypted: bool,
}

impl Address {
    /// Parses an address: `http://` or `https://` (case-insensitive), a host, and optionally a
    /// user, a port and a path.
    ///
    /// # Errors
    /// [`HttpError::Configuration`].
    pub fn parse(text: &str) -> Result<Self, HttpError> {
        let refused = |problem: &str| {
            let shown = without_password(text);
            HttpError::Configuration(format!("{shown} {problem}"))
        };
        let (scheme, rest) = text.split_once("://").unwrap_or_default();
        let scheme = scheme.to_ascii_lowercase();
        if scheme != "http" && scheme != "https" {
            return Err(refused("begins with neither http:// nor https://"));
        }
        if rest.contains(['?', '#']) {
            return Err(refused(
                "has a query or a fragment, and no address of a server does",
            ));
        }
        let uri: Uri = format!("{scheme}://{rest}")
            .parse()
            .map_err(|error| refused(&format!("is not a URL: {error}")))?;
        let authority = uri.authority().ok_or_else(|| refused("names no host"))?;
        if authority.host().is_empty() {
            return Err(refused("names no host"));
        }
        let host_and_port = authority.as_str().rsplit('@').next().unwrap_or_default();
        let is_host_alone = host_and_port == authority.host();
        if !is_host_alone && authority.port_u16().is_none_or(|port| port == 0) {
            return Err(refused("has a port that is no number from 1 to 65535"));
        }
        Ok(Self {
            origin: format!("{scheme}://{authority}"),
            path: uri.path().trim_end_matches('/').to_owned(),
            is_encrypted: scheme == "https",
        })
    }

    /// Returns the scheme and the host, with the user, password and port that the address contains.
    pub fn origin(&self) -> &str {
        &self.origin
    }

    /// Returns the path prefix, without a trailing slash.
    pub fn path(&self) -> &str {
        &self.path
    }

    /// Returns whether the connection uses TLS.
    pub const fn is_encrypted(&self) -> bool {
        self.is_encrypted
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_read_whole_or_not_at_all() {
        let read = |text: &str| {
            let address = Address::parse(text).ok()?;
            Some((address.origin, address.path))
        };
        for (text, origin, path) in [
            ("http://host", "http://host", ""),
            ("https://host:65535/", "https://host:65535", ""),
            ("HTTP://Host:1", "http://Host:1", ""),
            ("HttpS://[::1]:443/a/b//", "https://[::1]:443", "/a/b"),
            ("http://u:p@host:80/a", "http://u:p@host:80", "/a"),
        ] {
            assert_eq!(read(text), Some((origin.into(), path.into())), "{text}");
        }
        for text in [
            "",
            "host",
            "host:80",
            "ftp://host",
            "http://",
            "http:///a",
            "http://:80",
            "http://host:",
            "http://host:0",
            "http://host:65536",
            "http://host:99999/a",
            "http://host:8O",
            "http://host:-1",
            "http://host:80:81",
            "http://u:p@host:",
            "http://[::1]:",
            "http://[::1]:x",
            "http://host?a",
            "http://host/a?b=c",
            "http://host/a#b",
            "http://ho st",
            "http://host/a b",
            " http://host",
        ] {
            assert_eq!(read(text), None, "{text}");
        }
        let Err(HttpError::Configuration(reason)) = Address::parse("http://u:secret@h:x") else {
            panic!("it is accepted");
        };
        assert!(!reason.contains("secret"), "{reason}");
    }
}
