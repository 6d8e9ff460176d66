//! Who may read a file that holds a secret.

use std::path::Path;

use super::Failure;

/// Refuses a secret that everybody on the machine may read.
pub(super) fn check_secret(name: &str, path: &Path) -> Result<(), Failure> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        let metadata = path
            .metadata()
            .map_err(|error| Failure::file(path, &error))?;
        let mode = metadata.permissions().mode() & 0o777;
        // A group may read it, as web servers' groups do.
        if mode & 0o027 != 0 {
            let path = path.display();
            return Err(Failure::Input(format!(
                "{name} {path}: others may read or change it (its mode is {mode:03o}): \
                 chmod 600 {path}"
            )));
        }
    }
    Ok(())
}
