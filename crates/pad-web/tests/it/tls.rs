//! TLS, and certificates and addresses that cannot be used.

use pad_web::{
    client::{HttpClient, HttpError, HttpOptions, Roots},
    server::{Identity, Options, RunningServer, Server, ServerError},
};

use crate::fixture::*;

macro_rules! key_for_tests {
    ($name:literal) => {
        include_bytes!(concat!("../../../../data/keys-for-tests/", $name))
    };
}

const CERTIFICATE: &[u8] = key_for_tests!("localhost.pem");
const KEY: &[u8] = key_for_tests!("localhost.key");
const OTHER_CERTIFICATE: &[u8] = key_for_tests!("other.pem");
const OTHER_KEY: &[u8] = key_for_tests!("other.key");

pub(crate) fn identity() -> Identity {
    Identity::from_pem(CERTIFICATE, KEY).unwrap()
}

fn tls_client(server: &RunningServer, certificate: &[u8]) -> HttpClient {
    let roots = Roots::Pem(certificate.to_vec());
    let options = HttpOptions { roots, ..once() };
    HttpClient::new(&format!("https://{}", server.address()), options).unwrap()
}

#[test]
fn tls_round_trips_with_an_own_root_only() {
    let server = start_paths(Options {
        identity: Some(identity()),
        ..Options::default()
    });
    let trusting = tls_client(&server, CERTIFICATE);
    for length in 0..5 {
        assert_eq!(call(&trusting, &format!("/{length}")), Ok(length));
    }
    assert_eq!(server.connections(), 1);
    assert_eq!(post(&trusting, "/1", 3 << 20), Ok(1));

    let other = call(&tls_client(&server, OTHER_CERTIFICATE), "/1");
    assert!(matches!(other, Err(HttpError::Tls(_))), "{other:?}");
    // A client without TLS gets no response.
    assert_eq!(failed_attempts(call(&client(&server, once()), "/1")), 1);
    stop(server);
}

#[test]
fn unusable_certificates_and_addresses_are_refused_early() {
    for (certificate, key) in [(&b""[..], &b""[..]), (CERTIFICATE, &b"no key"[..])] {
        let identity = Identity::from_pem(certificate, key);
        assert!(matches!(identity, Err(ServerError::Certificate(_))));
    }
    // A private key that belongs to another certificate.
    let options = Options {
        identity: Some(Identity::from_pem(CERTIFICATE, OTHER_KEY).unwrap()),
        ..Options::default()
    };
    let bound = Server::bind("127.0.0.1:0", options);
    assert!(matches!(bound, Err(ServerError::Certificate(_))));
    for (address, roots) in [
        ("ftp://localhost", Roots::System),
        ("https://localhost", Roots::Pem(Vec::new())),
    ] {
        let options = HttpOptions { roots, ..once() };
        let client = HttpClient::new(address, options);
        assert!(matches!(client, Err(HttpError::Configuration(_))));
    }
    let server = start_paths(Options::default());
    let bound = Server::bind(server.address(), Options::default());
    assert!(matches!(bound, Err(ServerError::Bind(_))));
    stop(server);
}
