//! `pad file upload`: uploads a file to a server, or continues an interrupted upload.

use std::{fs::File, io::BufReader, path::PathBuf};

use authdict::internals::FileOwnerKey;
use clap::Args;
use flexlist::{Chunker, tag::TagKind};
use pad_core::Workers;

use super::{FileArguments, byte_bar, check_source, failure, load_key, state_line, state_object};
use crate::cli::{Failure, Output, Result, secret::check_place};

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  pad file upload --state thesis.state thesis.pdf
  pad file upload --state thesis.state --server files.example:7420 thesis.pdf")]
pub(in crate::cli) struct Upload {
    #[command(flatten)]
    file: FileArguments,
    /// Cut the file into blocks of this many BYTES.
    ///
    /// Default: by content, into blocks of about 16 KiB.
    #[arg(long, value_name = "BYTES")]
    block_size: Option<u32>,
    /// Discard an interrupted upload, on the server too, and start again.
    ///
    /// Use it if the source has changed since.
    #[arg(long)]
    restart: bool,
    /// The file to upload.
    source: PathBuf,
}

impl Upload {
    /// Creates an upload with default options, which may resume an earlier upload.
    pub(super) const fn of(file: FileArguments, source: PathBuf) -> Self {
        Self {
            file,
            block_size: None,
            restart: false,
            source,
        }
    }

    pub(in crate::cli) fn run(&self, output: &mut Output) -> Result {
        check_source(
            &self.source,
            "an interrupted upload continues with the same file",
        )?;
        let source =
            File::open(&self.source).map_err(|error| Failure::file(&self.source, &error))?;
        let length = source
            .metadata()
            .map_err(|error| Failure::file(&self.source, &error))?
            .len();
        let mut client = if self.file.state.exists() {
            let mut client = self.file.open()?;
            if self.restart {
                client.restart().map_err(|error| self.file.failure(error))?;
                output.text("the interrupted upload is discarded")?;
            }
            client
        } else {
            let key = self.key(output)?;
            self.file.create(&key, self.chunker()?)?
        };
        let bar = byte_bar(output, length, "upload");
        let uploaded = client.upload(BufReader::new(source), &mut |done| bar.set_position(done));
        bar.finish_and_clear();
        let state = uploaded.map_err(|error| self.file.failure_of(&client, error))?;
        let kept = [&self.file.state, &self.file.key].map(|path| path.display().to_string());
        let mut object = state_object(&state);
        object["state"] = kept[0].as_str().into();
        object["secret_key"] = kept[1].as_str().into();
        let text = format!(
            "uploaded: {}\n\
             keep both:  {}  (the state of this file)  and  {}  (the owner's key): if either is \
             lost, so is the file",
            state_line(&state),
            kept[0],
            kept[1]
        );
        output.say(&text, &object)
    }

    fn chunker(&self) -> Result<Chunker> {
        match self.block_size {
            None => Ok(Chunker::default()),
            Some(size) => {
                let size = usize::try_from(size).unwrap_or(usize::MAX);
                Chunker::fixed(size)
                    .map_err(|error| Failure::Input(format!("--block-size: {error}")))
            }
        }
    }

    /// Loads the owner's key file. If it does not exist, creates a key and prints its path.
    fn key(&self, output: &mut Output) -> Result<FileOwnerKey> {
        let path = &self.file.key;
        if path.exists() {
            return load_key(path);
        }
        check_place("--key", path)?;
        let failure = |error| failure::key(path, &error);
        let key = FileOwnerKey::generate(TagKind::default(), &Workers::all_cores());
        let key = key.map_err(failure)?;
        key.save(path).map_err(failure)?;
        output.text(&format!(
            "new owner key  {}  (keep it, and keep it secret: it changes your files)",
            path.display()
        ))?;
        Ok(key)
    }
}
