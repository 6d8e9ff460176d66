//! Permission checks for files that contain secrets.

use std::path::Path;

use super::Failure;

/// Rejects a secret file to which other users have any access, or that the file's group can write.
/// Checks nothing on systems other than Unix.
pub(super) fn check_secret(name: &str, path: &Path) -> Result<(), Failure> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        let metadata = path
            .metadata()
            .map_err(|error| Failure::file(path, &error))?;
        let mode = metadata.permissions().mode() & 0o777;
        // The group may read the file, as the groups of web servers need.
        if mode & 0o027 != 0 {
            let path = path.display();
            return Err(Failure::Input(format!(
                "{name} {path}: others may read or change it (its mode is {mode:03o})"
            ))
            .help(format!("run chmod 600 {path}")));
        }
    }
    Ok(())
}
