use web::client::HttpOptions;

use super::*;

/// Servers that nobody connects to.
fn servers(count: usize) -> Servers {
    let connect = |number| {
        let address = format!("http://127.0.0.1:{number}/v1/dictionaries/d");
        Server::connect(&address, HttpOptions::default()).unwrap()
    };
    Servers::new((1..=count).map(connect).collect())
}

fn kept(oldest: u64, latest: u64, until: Option<u64>) -> Versions {
    Versions {
        keys: None,
        oldest: Version::new(oldest),
        latest: Version::new(latest),
        until: until.map(Version::new),
    }
}

fn order(servers: &Servers, wanted: Wanted<'_>) -> Vec<usize> {
    let order = servers.order(wanted);
    order.into_iter().map(|(number, _)| number).collect()
}

#[test]
fn whoever_keeps_it_is_asked_first_and_everybody_in_the_end() {
    let servers = servers(4);
    let contents = |version| Wanted::ContentsOf(Version::new(version));
    assert_eq!(order(&servers, contents(3)), [0, 1, 2, 3]);
    servers.learn(0, kept(10, 20, None));
    servers.learn(1, kept(1, 9, Some(9)));
    servers.learn(2, kept(0, 5, None));
    for (wanted, expected) in [
        (contents(3), [1, 2, 3, 0]),
        (contents(7), [1, 2, 3, 0]),
        (contents(10), [0, 2, 3, 1]),
        (contents(30), [0, 2, 3, 1]),
        (Wanted::Newest, [0, 2, 3, 1]),
        (Wanted::HeadOf(Version::new(4)), [0, 1, 2, 3]),
        (Wanted::HeadOf(Version::new(12)), [0, 2, 3, 1]),
        (Wanted::UpdateTo(Version::new(10)), [2, 3, 0, 1]),
        (Wanted::UpdateTo(Version::new(11)), [0, 2, 3, 1]),
        (Wanted::UpdateTo(Version::new(1)), [2, 3, 0, 1]),
    ] {
        assert_eq!(order(&servers, wanted), expected, "{wanted:?}");
    }
}

#[test]
fn whoever_was_of_use_is_asked_first_and_whoever_failed_late() {
    let servers = servers(3);
    let newest = || order(&servers, Wanted::Newest);
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
}
