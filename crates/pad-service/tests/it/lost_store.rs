//! Tests of a server whose store is truncated, removed or replaced. Open files can be removed on
//! Unix only.

use std::{fs, sync::Arc};

use authdict::Version;
use pad_service::Dictionary;

use crate::{fixture::*, serve::asked};

#[test]
fn health_says_that_a_store_cannot_be_followed_until_it_can() {
    for scheme in OF_EACH_KIND {
        let [author, other] = [scheme; 2].map(Author::new);
        three_versions(&author);
        three_versions(&other);
        let (path, intact) = (author.path("s.pad"), author.files("s.pad"));
        let dictionary = Arc::new(Dictionary::open(&path).unwrap());
        let server = start_plain(service_of(Arc::clone(&dictionary)));
        let health = || asked(&server, "GET", "/health", "");
        let assert_lost = |how: &str| {
            for _ in 0..2 {
                dictionary.follow().unwrap_err();
                let health = health();
                assert!(health.starts_with("HTTP/1.1 503"), "{how}: {health}");
                let reason = r#""reasons":["a store cannot be followed"]"#;
                assert!(health.contains(reason), "{how}: {health}");
            }
        };
        let assert_followed = |how: &str| {
            assert!(dictionary.follow().unwrap(), "{scheme} {how}");
            assert!(!dictionary.follow().unwrap(), "{scheme} {how}");
            assert!(health().starts_with("HTTP/1.1 200"), "{scheme} {how}");
            assert_eq!(dictionary.latest(), Version::new(3));
        };
        assert!(health().starts_with("HTTP/1.1 200"), "{scheme}");
        let store = fs::OpenOptions::new().write(true).open(&path).unwrap();
        store.set_len(0).unwrap();
        assert_lost("truncated");
        fs::write(&path, &intact[""]).unwrap();
        assert_followed("truncated");
        fs::remove_file(&path).unwrap();
        assert_lost("removed");
        author.replace("s.pad", &intact);
        assert_followed("removed");
        author.replace("s.pad", &other.files("s.pad"));
        assert_lost("replaced");
        author.replace("s.pad", &intact);
        assert_followed("replaced");

        // Nothing is written into the store of another author.
        author.publish(&[("apple", "9")]);
        let (update, newer) = (author.update("s.pad", 4), author.files("s.pad"));
        author.replace("s.pad", &other.files("s.pad"));
        dictionary.apply(&[update]).unwrap_err();
        assert_eq!(author.files("s.pad"), other.files("s.pad"), "{scheme}");
        author.replace("s.pad", &newer);
        assert!(dictionary.follow().unwrap(), "{scheme}");
        assert_eq!(dictionary.latest(), Version::new(4));
        // An old copy is not served.
        author.replace("s.pad", &intact);
        assert_lost("old copy");
        assert_eq!(dictionary.latest(), Version::new(4));
    }
}
