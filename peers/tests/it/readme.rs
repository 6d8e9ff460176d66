//! Checks that README.md describes each dictionary as it is built.

use peers::run::CONTENDERS;

#[test]
fn names_every_dictionary_with_its_version_and_licence() {
    let readme = include_str!("../../README.md");
    for about in CONTENDERS.iter().map(|contender| (contender.about)()) {
        if about.is_ours {
            continue;
        }
        let row = format!(
            "| `{}` | {} {} | {} |",
            about.name,
            about.package,
            about.version(),
            about.licence
        );
        assert!(readme.contains(&row), "{row}");
    }
}

#[test]
fn names_are_distinct() {
    let mut names = peers::run::names();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), CONTENDERS.len());
}
