//! Tests of mirrors of honest servers and of lying servers.

use std::{
    fs,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};

use authdict::{
    Version, evidence,
    internals::exchange::{decode_list, encode_list},
};
use pad_client::Fault;
use pad_service::{Dictionary, Mirror};

use crate::{
    fixture::*,
    serve::{asked, assert_unhealthy, raw, text},
};

#[test]
fn a_mirror_has_what_its_upstream_has_and_catches_up() {
    for scheme in OF_EACH_KIND {
        let author = Author::new(scheme);
        three_versions(&author);
        let upstream = author.path("s.pad");
        author.create("mirror.pad");
        let server = start(service(&upstream));
        let (copy, mut follower) = mirror(&author.path("mirror.pad"), &[&server]);
        let round = follower.round().unwrap();
        let expected = (3, Version::new(3));
        assert_eq!((round.taken, round.latest), expected, "{scheme}");
        assert!(round.incidents.is_empty(), "{:?}", round.incidents);
        assert_eq!(follower.round().unwrap().taken, 0);
        // The mirror is stopped for some time, and so is the server that it copies.
        drop((follower, copy));
        drop(server);
        let batches = (0..20).map(|price| vec![put("apple", &price.to_string())]);
        author.sign("s.pad", batches.collect()).unwrap();
        let server = start(service(&upstream));
        let (copy, mut follower) = mirror(&author.path("mirror.pad"), &[&server]);
        assert_eq!(copy.latest(), Version::new(3));
        assert_eq!(follower.round().unwrap().taken, 20);
        let [own, copied] = [&upstream, &author.path("mirror.pad")].map(|path| {
            let store = authdict::Server::of_any(path).unwrap();
            let messages = (1..=23).map(Version::new).map(|version| {
                let update = store.update_message(version).unwrap();
                (update, store.head_message(version).unwrap())
            });
            messages.collect::<Vec<_>>()
        });
        assert_eq!(own, copied, "{scheme}");
        // The mirror serves its versions, and another mirror can copy it.
        let mirrored = start(service(&author.path("mirror.pad")));
        let client = author.client_at(&[&mirrored, &server], "view", 23);
        assert_value(&client, Version::new(10), "apple", "6");
        assert!(client.take_incidents().is_empty());
    }
}

#[test]
fn health_of_a_mirror_says_whether_it_can_follow() {
    let author = Author::of_three_versions();
    author.create("mirror.pad");
    let upstream = author.serve();
    let store = author.path("mirror.pad");
    let copy = Arc::new(Dictionary::open(&store).unwrap());
    let service = service_of(Arc::clone(&copy));
    let list = vec![connect(&upstream)];
    let mut mirror = Mirror::new(copy, list, store, service.metrics());
    let server = start(service);
    let health = || raw(&server, "/health", None).status.as_u16();
    assert_eq!(health(), 200, "before the first round");
    mirror.round().unwrap();
    assert_eq!(health(), 200);
    let metrics = text(&server, "/metrics");
    assert!(metrics.contains("pad_upstream_success_time_seconds{"));
    drop(upstream);
    mirror.round().unwrap();
    assert_unhealthy(&server);
    let metrics = text(&server, "/metrics");
    let up = |line: &&str| line.starts_with("pad_upstream_up{");
    let is_down = metrics.lines().find(up).unwrap().ends_with(" 0");
    assert!(is_down, "{metrics}");
}

#[test]
fn a_mirror_begins_with_a_stored_snapshot_of_a_pruned_upstream() {
    let author = Author::of_three_versions();
    author.prune("s.pad", 3);
    author.copy("s.pad", "snapshot.pad");
    author.publish(&[("fig", "2")]);
    let server = author.serve();
    author.create("empty.pad");
    let (empty, mut follower) = mirror(&author.path("empty.pad"), &[&server]);
    let round = follower.round().unwrap();
    let fault = &round.incidents[0].fault;
    let is_pruned = matches!(fault, Fault::Silent(error) if error.is("pruned"));
    assert!(is_pruned, "{round:?}");
    assert_eq!(empty.latest(), Version::EMPTY);
    let (copy, mut follower) = mirror(&author.path("snapshot.pad"), &[&server]);
    assert_eq!(follower.round().unwrap().taken, 1);
    assert_eq!(copy.latest(), Version::new(4));
}

#[test]
fn health_of_a_mirror_says_that_its_upstream_has_pruned() {
    let author = Author::of_three_versions();
    let limited = author.serve_keeping("limited.pad", "3..");
    let pruned = author.copy("s.pad", "pruned.pad");
    author.prune("pruned.pad", 3);
    let pruned = start(service(&pruned));
    let whole = author.serve();
    for (name, upstream) in [("limited", &limited), ("pruned", &pruned)] {
        let store = author.create(&format!("of-{name}.pad"));
        let copy = Arc::new(Dictionary::open(&store).unwrap());
        let service = service_of(Arc::clone(&copy));
        let follow = |upstreams: &[&TestServer]| {
            let list = upstreams.iter().map(|server| connect(server)).collect();
            let (copy, base) = (Arc::clone(&copy), store.clone());
            Mirror::new(copy, list, base, service.metrics())
        };
        let (mut alone, mut both) = (follow(&[upstream]), follow(&[upstream, &whole]));
        let server = start_plain(service);
        let health = || asked(&server, "GET", "/health", "");
        alone.round().unwrap();
        let failing = health();
        assert!(failing.starts_with("HTTP/1.1 503"), "{name}: {failing}");
        for words in ["has pruned", "a copy of its store", "another --from"] {
            assert!(failing.contains(words), "{name}: {failing}");
        }
        // Another server has the versions, and then nothing is missing.
        assert_eq!(both.round().unwrap().taken, 3, "{name}");
        assert!(health().starts_with("HTTP/1.1 200"), "{name}");
        assert!(alone.round().unwrap().incidents.is_empty(), "{name}");
        assert!(health().starts_with("HTTP/1.1 200"), "{name}");
    }
}

#[test]
fn updates_that_an_upstream_has_changed_are_not_taken_and_the_last_good_version_is_served() {
    let author = Author::of_three_versions();
    let length = author.update("s.pad", 3).len();
    let lies = Arc::new(AtomicBool::new(false));
    let honest = author.serve();
    for place in [8, 10, length / 2, length - 70, length - 1] {
        let store = author.create(&format!("mirror{place}.pad"));
        let is_lying = Arc::clone(&lies);
        lies.store(true, Ordering::SeqCst);
        let liar = author.forger(&["updates/"], move |body| {
            if is_lying.load(Ordering::SeqCst) {
                let updates = decode_list(body, body.len()).unwrap().into_iter();
                let mut updates: Vec<_> = updates.map(<[u8]>::to_vec).collect();
                // The last update of each list is changed.
                if let Some(last) = updates.last_mut() {
                    flip(last, place);
                }
                *body = encode_list(updates.iter().map(Vec::as_slice)).unwrap();
            }
        });
        let (copy, mut follower) = mirror(&store, &[&liar]);
        let round = follower.round().unwrap();
        let is_lie = matches!(round.incidents[0].fault, Fault::Lied(_));
        assert!(is_lie, "{place}: {round:?}");
        assert!(round.incidents[0].record.is_some());
        // The versions before the changed update are accepted.
        let expected = (0, Version::new(2));
        assert_eq!((round.taken, copy.latest()), expected, "{place}: {round:?}");
        let mirrored = start(service(&store));
        let client = author.client_at(&[&mirrored], &format!("view{place}"), 2);
        assert_value(&client, Version::new(2), "apple", "4");
        // If there is an honest server too, the mirror continues.
        let (copy, mut follower) = mirror(&store, &[&liar, &honest]);
        let round = follower.round().unwrap();
        assert_eq!((round.incidents.len(), copy.latest()), (1, Version::new(3)));
    }
}

#[test]
fn an_upstream_that_forks_leaves_evidence_and_the_mirror_as_it_is() {
    let author = Author::of_three_versions();
    author.copy("s.pad", "fork.pad");
    author.copy("s.pad", "mirror.pad");
    author.publish(&[("apple", "9")]);
    author.publish_in("fork.pad", &[("apple", "10")]);
    author.publish_in("fork.pad", &[("apple", "11")]);
    let honest = author.serve();
    let forked = start(service(&author.path("fork.pad")));
    let (copy, mut follower) = mirror(&author.path("mirror.pad"), &[&honest, &forked]);
    for taken in [1, 0] {
        let round = follower.round().unwrap();
        assert_eq!((round.taken, copy.latest()), (taken, Version::new(4)));
        let kept = fs::read(round.incidents[0].evidence.as_ref().unwrap()).unwrap();
        assert!(matches!(only_fault(round.incidents), Fault::Fork(_)));
        let version = evidence::check(author.key.public(), &kept).unwrap();
        assert_eq!(version, Version::new(4));
    }
    // Identical evidence is stored only once.
    assert_eq!(author.kept("mirror.pad", ".evidence").len(), 1);
    assert_eq!(author.kept("mirror.pad", ".lie").len(), 1);
    let mirrored = start(service(&author.path("mirror.pad")));
    let mut client = author.client(&[&mirrored], "view");
    let latest = client.advance().unwrap();
    assert_value(&client, latest, "apple", "9");
}
