//! Tests of the asynchronous client for tokio tasks.

use std::sync::{
    Mutex,
    atomic::{AtomicBool, Ordering},
    mpsc::{Receiver, Sender, channel},
};

use authdict::{Key, KeyRange, Version};
use pad_client::{AsyncClient, PushOutcome};
use pad_web::server::Limits;
use tokio::{join, runtime::Builder, spawn, task::spawn_blocking};

use crate::fixture::*;

/// A gate that delays requests for the versions, or lets them pass.
struct Gate {
    is_closed: AtomicBool,
    came: Mutex<Sender<()>>,
    may_pass: Mutex<Receiver<()>>,
}

#[test]
fn answers_come_while_the_view_advances() {
    let author = Author::of_tree();
    let behind = author.copy("s.pad", "behind.pad");
    priced(&author, 4);
    let (came, has_come) = channel();
    let (pass, may_pass) = channel();
    let gate: &'static Gate = Box::leak(Box::new(Gate {
        is_closed: AtomicBool::new(false),
        came: Mutex::new(came),
        may_pass: Mutex::new(may_pass),
    }));
    // While one request waits, further requests of the same peer are handled.
    let limits = Limits {
        in_flight: 8,
        ..Limits::default()
    };
    let gated = Liar::new(service(&behind), |path, answer| {
        if path == "versions" && gate.is_closed.load(Ordering::SeqCst) {
            gate.came.lock().unwrap().send(()).unwrap();
            gate.may_pass.lock().unwrap().recv().unwrap();
        }
        answer
    });
    let server = start_with(options(limits), gated);
    let push = |version| {
        let pushed = connect(&server).push(&author.update("s.pad", version));
        assert_eq!(pushed.unwrap(), PushOutcome::Taken);
    };
    push(1);
    push(2);
    // All tasks run on one thread, so no task may block it.
    let runtime = Builder::new_current_thread().build().unwrap();
    runtime.block_on(async {
        let client = AsyncClient::from(author.client(&[&server], "view"));
        assert_eq!(client.advance().await.unwrap(), Version::new(2));
        push(3);
        gate.is_closed.store(true, Ordering::SeqCst);
        let advancing = spawn({
            let client = client.clone();
            async move { client.advance().await }
        });
        let has_come = spawn_blocking(move || {
            has_come.recv().unwrap();
            has_come
        });
        let has_come = has_come.await.unwrap();
        // The server has not yet answered the request for the newest version.
        let older = client.ask(Version::new(1), about("apple"));
        let newer = client.ask(Version::new(2), about("apple"));
        let (older, newer) = join!(older, newer);
        assert_eq!(value(&older.unwrap()), Some(&b"1"[..]));
        assert_eq!(value(&newer.unwrap()), Some(&b"2"[..]));
        assert_eq!(client.now().view().version(), Version::new(2));
        pass.send(()).unwrap();
        assert_eq!(advancing.await.unwrap().unwrap(), Version::new(3));
        assert!(client.ask(Version::new(3), about("apple")).await.is_ok());
        // An aborted call still advances the client, and the next caller sees the advanced view.
        push(4);
        let dropped = spawn({
            let client = client.clone();
            async move { client.advance().await }
        });
        let waited = spawn_blocking(move || has_come.recv().unwrap());
        waited.await.unwrap();
        dropped.abort();
        assert!(dropped.await.unwrap_err().is_cancelled());
        gate.is_closed.store(false, Ordering::SeqCst);
        pass.send(()).unwrap();
        assert_eq!(client.advance().await.unwrap(), Version::new(4));
        assert_eq!(client.now().view().version(), Version::new(4));
    });
}

#[test]
fn every_question_is_the_one_of_the_client_that_blocks() {
    let author = Author::of_three_versions();
    let server = author.serve();
    let runtime = Builder::new_current_thread().build().unwrap();
    runtime.block_on(async {
        let client = AsyncClient::from(author.client(&[&server], "view"));
        let latest = client.advance().await.unwrap();
        let same = client.now();
        let answer = client.call(move |client| client.answer(latest, &about("pear")));
        let (message, statement) = answer.await.unwrap();
        assert_eq!(message, same.answer(latest, &about("pear")).unwrap().0);
        assert_eq!(value(&statement), Some(&b"5"[..]));
        let head = client.call(move |client| client.head(latest));
        assert_eq!(head.await.unwrap(), same.head(latest).unwrap());
        let page = client.call(move |client| client.page(latest, &KeyRange::ALL));
        let expected = same.page(latest, &KeyRange::ALL).unwrap();
        assert_eq!(page.await.unwrap(), expected);
        let apple = || Key::try_from("apple").unwrap();
        let history = client.call(move |client| client.history(&apple()));
        assert_eq!(history.await.unwrap(), same.history(&apple()).unwrap());
        let oldest = client.call(pad_client::Client::oldest);
        assert_eq!(oldest.await.unwrap(), same.oldest().unwrap());
        // Callers receive an error if the server has stopped.
        drop(server);
        assert!(client.advance().await.is_err());
        assert!(client.ask(latest, about("apple")).await.is_err());
    });
}
