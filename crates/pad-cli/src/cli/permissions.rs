//! Permission checks for files that contain secrets.

use std::path::Path;

use super::{Failure, Result};

/// Rejects a secret file that its group can write, or to which users other than its owner and group
/// have any access. Checks nothing on systems other than Unix.
pub(super) fn check_secret(name: &str, path: &Path) -> Result {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        let metadata = path
            .metadata()
            .map_err(|error| Failure::file(path, &error))?;
        let mode = metadata.permissions().mode() & 0o777;
        // The group may read the file, because a web server may get its keys through a group.
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
