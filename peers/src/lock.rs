//! Reads the versions of packages from the lock file `Cargo.lock`.

/// Returns the version of a package in the lock file. If the file has several, returns the newest;
/// if it has none, `None`.
pub fn version(package: &str) -> Option<String> {
    let name = format!("name = \"{package}\"");
    let mut lines = LOCK.lines();
    let mut newest = None;
    while lines.any(|line| line == name) {
        let version = lines.next()?.strip_prefix("version = \"")?;
        newest = Some(version.trim_end_matches('"').to_owned());
    }
    newest
}

const LOCK: &str = include_str!("../Cargo.lock");

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_what_is_built() {
        assert!(version("jmt").is_some_and(|version| version.starts_with("0.12.")));
        assert_eq!(version("no such package"), None);
    }
}
