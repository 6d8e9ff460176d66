//! Spans for `tracing`.

use std::{
    io,
    sync::{Arc, Mutex},
};

use authdict::{Author, Client, Key, RedBlack, SecretKey, Server, Tree};
use tracing_subscriber::fmt::format::FmtSpan;

type Prices = Tree<RedBlack>;

/// A log in memory.
#[derive(Clone, Default)]
struct Lines(Arc<Mutex<Vec<u8>>>);

impl io::Write for Lines {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Publishes a version, asks about it, and copies it.
fn use_all_roles() {
    let folder = tempfile::tempdir().unwrap();
    let [path, key, copy] =
        ["prices.pad", "prices.key", "copy.pad"].map(|name| folder.path().join(name));
    let secret = SecretKey::create::<Prices>(&key, "prices").unwrap();
    let mut author = Author::<Prices>::create(&path, &secret).unwrap();
    author.put("apple", "1.20").unwrap();
    author.commit().unwrap();
    let server = Server::<Prices>::open(&path, secret.public()).unwrap();
    let mut client = Client::<Prices>::new(secret.public()).unwrap();
    client.ask(&server, Key::from(b"apple")).unwrap();
    let update = server.update_message(server.latest()).unwrap().unwrap();
    let mut copy = Server::<Prices>::create(&copy, secret.public()).unwrap();
    copy.apply_message(&update).unwrap();
}

#[test]
fn author_server_and_client_have_spans() {
    let lines = Lines::default();
    let writer = lines.clone();
    let subscriber = tracing_subscriber::fmt()
        .with_max_level(tracing::Level::DEBUG)
        .with_span_events(FmtSpan::CLOSE)
        .with_ansi(false)
        .with_writer(move || writer.clone())
        .finish();
    tracing::subscriber::with_default(subscriber, || {
        // A span that a test on another thread enters first would be off for good.
        use_all_roles();
        tracing::callsite::rebuild_interest_cache();
        use_all_roles();
    });
    let lines = String::from_utf8(lines.0.lock().unwrap().clone()).unwrap();
    let spans = [
        "sign{operations=1}",
        "commit{version=1}",
        "follow{version=0}",
        "ask{version=1}:answer{version=1}",
        "apply{version=0 bytes=",
    ];
    for span in spans {
        assert!(lines.contains(span), "{span} in\n{lines}");
    }
}
