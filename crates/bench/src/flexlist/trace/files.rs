//! Reads the table of files of a trace: each file's folder and its size before the first commit.

use std::io::Read;

use super::{FILE_COLUMNS, MOST_FILE_BYTES, TraceError, TracedFile, source::Rows};

/// Reads the table of files from plain text. The position in the result is the file's number.
///
/// # Errors
/// [`TraceError`] if the header, a field, or the order of paths or folders is wrong.
pub(super) fn read_files(source: impl Read) -> Result<Vec<TracedFile>, TraceError> {
    let mut rows = Rows::new(source, &FILE_COLUMNS)?;
    let (mut files, mut folders) = (Vec::new(), 0_u64);
    while rows.advance()? {
        let line = rows.line();
        if usize::try_from(rows.number(0)?) != Ok(files.len()) {
            return Err(TraceError::PathOutOfOrder(line));
        }
        let folder = rows.number(1)?;
        if folder > folders {
            return Err(TraceError::FolderOutOfOrder(line));
        }
        if folder == folders {
            folders = folders.saturating_add(1);
        }
        let initial_size = match rows.field(2) {
            "-1" => None,
            _ => Some(rows.number(2)?),
        };
        if initial_size.is_some_and(|size| size > MOST_FILE_BYTES) {
            return Err(TraceError::FileTooLarge(line));
        }
        files.push(TracedFile {
            folder,
            initial_size,
        });
    }
    Ok(files)
}
