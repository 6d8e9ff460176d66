//! A small file system in memory, which tests can fill.

use std::{
    fs::{self, File},
    io::{self, ErrorKind},
    path::PathBuf,
    process::Command,
};

/// A file system in memory. It is unmounted when this value is dropped.
pub(crate) struct SmallDisk(PathBuf);

impl SmallDisk {
    /// Mounts a file system. Returns `None` if this user may not mount one. `size` has the format
    /// of `mount`: `8m`.
    pub(crate) fn mount(folder: PathBuf, size: &str) -> Option<Self> {
        fs::create_dir(&folder).unwrap();
        let mount = Command::new("mount")
            .args([
                "-t",
                "tmpfs",
                "-o",
                &format!("size={size},mode=0700"),
                "tmpfs",
            ])
            .arg(&folder)
            .output();
        mount
            .is_ok_and(|output| output.status.success())
            .then_some(Self(folder))
    }

    /// Fills all free space with one file.
    pub(crate) fn fill(&self) {
        let mut file = File::create(self.filler()).unwrap();
        let full = io::copy(&mut io::repeat(1), &mut file).unwrap_err();
        assert_eq!(full.kind(), ErrorKind::StorageFull);
    }

    /// Removes the file that [`SmallDisk::fill`] has written, and returns its length.
    pub(crate) fn free(&self) -> u64 {
        let length = fs::metadata(self.filler()).unwrap().len();
        fs::remove_file(self.filler()).unwrap();
        length
    }

    fn filler(&self) -> PathBuf {
        self.0.join("filler")
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        drop(Command::new("umount").arg("-l").arg(&self.0).status());
    }
}
