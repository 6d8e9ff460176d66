use core::time::Duration;
use std::{
    io::{ErrorKind, Read as _, Write as _},
    net::TcpListener,
    thread,
};

use pad_web::client::HttpOptions;

use super::*;

/// Creates a list of servers, to which no connection is made.
fn servers(count: usize) -> Servers {
    let connect = |number| {
        let address = format!("http://127.0.0.1:{number}/v1/dictionaries/d");
        Remote::connect(&address, HttpOptions::default()).unwrap()
    };
    Servers::new((1..=count).map(connect).collect())
}

fn kept(oldest: u64, latest: u64, until: Option<u64>) -> Versions {
    Versions {
        keys: None,
        oldest: Version::new(oldest),
        latest: Version::new(latest),
        until: until.map(Version::new),
        notes: None,
    }
}

fn order(servers: &Servers, wanted: RequestTarget<'_>) -> Vec<usize> {
    let order = servers.order(wanted);
    order.into_iter().map(|(number, _)| number).collect()
}

#[test]
fn whoever_keeps_it_is_asked_first_and_everybody_in_the_end() {
    let servers = servers(4);
    let contents = |version| RequestTarget::ContentsOf(Version::new(version));
    assert_eq!(order(&servers, contents(3)), [0, 1, 2, 3]);
    servers.learn(0, kept(10, 20, None));
    servers.learn(1, kept(1, 9, Some(9)));
    servers.learn(2, kept(0, 5, None));
    for (wanted, expected) in [
        (contents(3), [1, 2, 3, 0]),
        (contents(7), [1, 2, 3, 0]),
        (contents(10), [0, 2, 3, 1]),
        (contents(30), [0, 2, 3, 1]),
        (RequestTarget::Newest, [0, 2, 3, 1]),
        (RequestTarget::HeadOf(Version::new(4)), [0, 1, 2, 3]),
        (RequestTarget::HeadOf(Version::new(12)), [0, 2, 3, 1]),
        (RequestTarget::UpdateTo(Version::new(10)), [2, 3, 0, 1]),
        (RequestTarget::UpdateTo(Version::new(11)), [0, 2, 3, 1]),
        (RequestTarget::UpdateTo(Version::new(1)), [2, 3, 0, 1]),
    ] {
        assert_eq!(order(&servers, wanted), expected, "{wanted:?}");
    }
}

#[test]
fn who_has_some_of_the_keys_is_asked_first_about_these() {
    let servers = servers(3);
    let key = |text: &str| authdict::Key::try_from(text).unwrap();
    let range = |start: &str, end: &str| KeyRange {
        start: (!start.is_empty()).then(|| key(start)),
        end: (!end.is_empty()).then(|| key(end)),
    };
    for (number, keys) in [(0, range("a", "m")), (1, range("m", ""))] {
        let keys = Some(keys);
        servers.learn(
            number,
            Versions {
                keys,
                ..kept(2, 9, None)
            },
        );
    }
    let version = Version::new(5);
    for (question, expected) in [
        (Question::Key(key("b")), [0, 2, 1]),
        (Question::Key(key("m")), [1, 2, 0]),
        (Question::Range(range("b", "m")), [0, 2, 1]),
        (Question::Range(range("b", "n")), [2, 0, 1]),
    ] {
        let wanted = RequestTarget::Answer(version, &question);
        assert_eq!(order(&servers, wanted), expected, "{question:?}");
    }
    // A page ends at the end of the server's keys.
    for (asked, expected) in [
        (range("b", "z"), [0, 2, 1]),
        (range("n", ""), [1, 2, 0]),
        (range("", "c"), [2, 0, 1]),
    ] {
        let wanted = RequestTarget::Page(version, &asked);
        assert_eq!(order(&servers, wanted), expected, "{asked:?}");
    }
    for wanted in [
        RequestTarget::UpdateTo(version),
        RequestTarget::ContentsOf(version),
    ] {
        assert_eq!(order(&servers, wanted), [2, 0, 1]);
    }
    assert_eq!(order(&servers, RequestTarget::HeadOf(version)), [0, 1, 2]);
}

#[test]
fn what_a_server_says_of_its_keys_comes_back_and_nothing_else_is_read() {
    let keys = KeyRange {
        start: Some(authdict::Key::try_from("a").unwrap()),
        end: None,
    };
    let said = Versions {
        keys: Some(keys),
        notes: Some(7),
        ..kept(2, 9, Some(12))
    };
    assert_eq!(Versions::from_json(said.to_json().as_bytes()), Some(said));
    let not_a_range = crate::resource::encoded(&Question::Key(authdict::Key::default()));
    for keys in ["1", "\"\"", "\"?\"", "null", &format!("\"{not_a_range}\"")] {
        let json = format!("{{\"oldest\":2,\"latest\":9,\"keys\":{keys}}}");
        assert_eq!(Versions::from_json(json.as_bytes()), None, "{keys}");
    }
}

#[test]
fn whoever_was_of_use_is_asked_first_and_whoever_failed_late() {
    let servers = servers(3);
    let newest = || order(&servers, RequestTarget::Newest);
    servers.answered(1);
    assert_eq!(newest(), [1, 2, 0]);
    servers.failed(1);
    assert_eq!(newest(), [2, 0, 1]);
    servers.answered(1);
    assert_eq!(newest(), [1, 2, 0]);
    servers.turn();
    assert_eq!(newest(), [2, 0, 1]);
    servers.turn();
    assert_eq!(newest(), [0, 1, 2]);
    // A server that reports its versions may still fail to answer. Requests that fail at the same
    // time count as one failure.
    for _ in 0..7 {
        servers.failed(1);
    }
    assert_eq!(servers.state().known[1].failures, 1);
    servers.learn(1, kept(1, 9, None));
    assert_eq!(newest(), [0, 2, 1]);
}

/// A server that never answers, sends one byte at a time, or is busy, is asked once. The client
/// does not wait for it as long as a transfer may take.
#[test]
fn a_server_of_no_use_is_not_waited_for_where_there_are_others() {
    let slow_body = "HTTP/1.1 200 OK\r\ncontent-length: 1000000\r\n\r\n";
    let busy = "HTTP/1.1 503 Busy\r\nretry-after: 20\r\ncontent-length: 0\r\n\r\n";
    for answer in ["", slow_body, busy] {
        check_unwaited(answer);
    }
}

/// Requests a resource from a server that sends `answer`, and then one byte at a time.
fn check_unwaited(answer: &'static str) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let accepted = thread::spawn(move || {
        let (stream, _) = listener.accept().unwrap();
        let mut request = [0; 1];
        (&stream).read_exact(&mut request).unwrap();
        (&stream).write_all(answer.as_bytes()).unwrap();
        // The connection stays open until the client closes it.
        stream
            .set_read_timeout(Some(Duration::from_millis(10)))
            .unwrap();
        loop {
            match (&stream).read(&mut [0; 1024]) {
                Ok(read) if read > 0 => {}
                Err(error) if error.kind() == ErrorKind::WouldBlock => {
                    if !answer.is_empty() && (&stream).write_all(b"x").is_err() {
                        break;
                    }
                }
                _ => break,
            }
        }
        listener.set_nonblocking(true).unwrap();
        listener.accept().is_err()
    });
    let options = HttpOptions {
        wait: Duration::from_millis(50),
        ..HttpOptions::default()
    };
    let address = format!("http://{address}/v1/dictionaries/d");
    let server = Remote::connect(&address, options).unwrap();
    let failed = server.versions().unwrap_err();
    assert!(failed.is_slow(), "{failed}");
    drop(server);
    // The server was asked once.
    assert!(accepted.join().unwrap());
}
