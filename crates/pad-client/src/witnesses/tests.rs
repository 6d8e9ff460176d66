//! Tests of the comparison of an answer's head with the log of heads.

use authdict::{Author, RedBlack, SecretKey, Tree};

use super::*;

#[test]
fn an_entry_of_the_log_that_is_no_head_of_the_version_accuses_nobody() {
    let folder = tempfile::tempdir().unwrap();
    let [key, store] = ["key", "store"].map(|name| folder.path().join(name));
    let secret = SecretKey::create::<Tree<RedBlack>>(&key, "prices").unwrap();
    let mut author = Author::<Tree<RedBlack>>::create(&store, &secret).unwrap();
    let heads = ["1", "2"].map(|price| {
        author.put("apple", price).unwrap();
        let version = author.commit().unwrap();
        author.server().head_message(version).unwrap()
    });
    let (public, [first, second]) = (secret.public(), heads.map(Some));
    let version = Version::new(1);
    for entry in [&second, &Some(b"no head".to_vec())] {
        let unusable = other_head(public, version, [entry, &first]);
        assert_eq!(unusable, NotWitnessed::NotLogged(version).into());
    }
}
