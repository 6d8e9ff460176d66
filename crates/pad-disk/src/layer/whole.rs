//! Whole files in a layer, and a lock file.

use std::{
    io,
    sync::Arc,
    thread,
    time::{Duration, Instant},
};

use super::{FileLayer, LayerFile};
use crate::{PATIENCE, place::found};

/// Replaces or creates the file `name` with `contents`, durable when this returns.
///
/// After a crash the file is unchanged or contains all of `contents`. An interrupted or failed
/// attempt may leave a file `<name>.new`, which the next call removes.
///
/// # Errors
/// I/O errors of the operating system. The file then contains the old or the new contents, which
/// need not be durable.
pub fn replace(layer: &dyn FileLayer, name: &str, contents: &[u8]) -> io::Result<()> {
    let draft = format!("{name}{DRAFT}");
    let file = create_anew(layer, &draft)?;
    file.write_at(0, contents)?;
    file.synchronise()?;
    layer.rename(&draft, name)?;
    layer.synchronise()
}

/// Creates the empty file `name`, replacing a file of that name left by an earlier process.
///
/// # Errors
/// I/O errors of the operating system.
pub fn create_anew(layer: &dyn FileLayer, name: &str) -> io::Result<Arc<dyn LayerFile>> {
    found(layer.remove(name))?;
    layer.create(name)
}

/// Opens the file `name`, or creates it empty if there is none.
///
/// # Errors
/// I/O errors of the operating system.
pub fn open_or_create(layer: &dyn FileLayer, name: &str) -> io::Result<Arc<dyn LayerFile>> {
    if let Some(file) = found(layer.open(name))? {
        return Ok(file);
    }
    match layer.create(name) {
        // Another process created it first.
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => layer.open(name),
        created => created,
    }
}

/// Reads the file `name`, of at most `most` bytes. Returns `None` if there is no such file.
///
/// # Errors
/// [`io::ErrorKind::FileTooLarge`] if the file has more than `most` bytes; other I/O errors.
pub fn read(layer: &dyn FileLayer, name: &str, most: u64) -> io::Result<Option<Vec<u8>>> {
    let Some(file) = found(layer.open_to_read(name))? else {
        return Ok(None);
    };
    let length = file.length()?;
    let fitting = usize::try_from(length).ok().filter(|_| length <= most);
    let mut contents = vec![0; fitting.ok_or(io::ErrorKind::FileTooLarge)?];
    file.read_at(0, &mut contents)?;
    Ok(Some(contents))
}

/// Locks the file `name`, creating it if missing, until the returned handle is dropped. Returns
/// `None` if another process or handle still holds the lock after [`PATIENCE`].
///
/// # Errors
/// I/O errors of the operating system.
pub fn lock(layer: &dyn FileLayer, name: &str) -> io::Result<Option<Arc<dyn LayerFile>>> {
    let file = open_or_create(layer, name)?;
    Ok(wait_for_lock(&*file, PATIENCE)?.then_some(file))
}

/// Locks a file, waiting for about `patience`. Returns `false` if another handle still holds the
/// lock after that.
///
/// # Errors
/// I/O errors of the operating system.
pub fn wait_for_lock(file: &dyn LayerFile, patience: Duration) -> io::Result<bool> {
    let start = Instant::now();
    let mut pause = SHORTEST_PAUSE;
    while !file.try_lock()? {
        if start.elapsed() >= patience {
            return Ok(false);
        }
        thread::sleep(pause);
        pause = pause.saturating_mul(2).min(LONGEST_PAUSE);
    }
    Ok(true)
}

const DRAFT: &str = ".new";
const SHORTEST_PAUSE: Duration = Duration::from_millis(1);
const LONGEST_PAUSE: Duration = Duration::from_millis(20);

#[cfg(test)]
#[cfg(feature = "simulated-disk")]
mod tests {
    use super::*;
    use crate::layer::{Reads, SimulatedFolder};

    /// Replaces a file twice and returns the number of successful calls.
    fn run(folder: &SimulatedFolder) -> usize {
        let replaced = |contents: &&[u8]| replace(folder, "file", contents).is_ok();
        let contents: [&[u8]; 2] = [&[1; 700], &[2; 1300]];
        contents
            .iter()
            .take_while(|contents| replaced(contents))
            .count()
    }

    #[test]
    fn a_crash_leaves_the_contents_before_or_the_new_ones() {
        let whole = SimulatedFolder::new("folder");
        assert_eq!(run(&whole), 2);
        for stop in 1..=whole.operations().len() {
            let folder = SimulatedFolder::new("folder");
            folder.stop_at(stop, Reads::Work);
            let acknowledged = run(&folder);
            for left in (0..20).map(|seed| folder.after_power_cut(seed)) {
                let found = read(&left, "file", 1300).unwrap();
                let replaced = match found.as_deref() {
                    None => 0,
                    Some(found) if found == [1; 700] => 1,
                    Some(found) if found == [2; 1300] => 2,
                    Some(_) => panic!("torn"),
                };
                assert!(replaced >= acknowledged, "{stop}");
                // A leftover draft does not block later calls.
                assert_eq!(run(&left), 2);
            }
        }
    }

    #[test]
    fn files_are_read_up_to_a_length() {
        let folder = SimulatedFolder::new("folder");
        assert_eq!(read(&folder, "file", 10).unwrap(), None);
        replace(&folder, "file", &[5; 10]).unwrap();
        assert_eq!(read(&folder, "file", 10).unwrap().unwrap(), [5; 10]);
        let refused = read(&folder, "file", 9).unwrap_err();
        assert_eq!(refused.kind(), io::ErrorKind::FileTooLarge);
    }

    #[test]
    fn one_has_the_lock() {
        let folder = SimulatedFolder::new("folder");
        let first = lock(&folder, "lock").unwrap().unwrap();
        assert!(!folder.open("lock").unwrap().try_lock().unwrap());
        drop(first);
        assert!(lock(&folder, "lock").unwrap().is_some());
    }
}
