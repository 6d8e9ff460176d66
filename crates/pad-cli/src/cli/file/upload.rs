//! `pad file upload` uploads a file to a server, or continues an interrupted upload. `pad file
//! sync` sends the server the changes of a local file.

use std::{fs::File, io::BufReader, path::PathBuf};

use authdict::internals::FileOwnerKey;
use clap::Args;
use flexlist::{Chunker, tag::TagKind};
use flexlist_service::client::{ClientError, FileProgress, SettleOutcome};
use indicatif::ProgressBar;
use pad_core::Workers;

use super::{
    FileArguments, byte_bar, check_source, failure, load_key, settled_line, state_line,
    state_object,
};
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

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  pad file sync --state thesis.state thesis.pdf
  pad file sync --state thesis.state --server files.example:7420 thesis.pdf")]
pub(in crate::cli) struct Sync {
    #[command(flatten)]
    file: FileArguments,
    /// The local file whose changes are sent.
    source: PathBuf,
}

impl Upload {
    pub(in crate::cli) fn run(&self, output: &mut Output) -> Result {
        let why = "an interrupted upload continues with the same file";
        check_source(&self.source, why)?;
        let source = File::open(&self.source).map_err(Failure::at(&self.source))?;
        let length = source.metadata().map_err(Failure::at(&self.source))?.len();
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

impl Sync {
    pub(in crate::cli) fn run(&self, output: &mut Output) -> Result {
        check_source(&self.source, "a sync reads the file twice")?;
        let is_new = !self.file.state.exists();
        if is_new || matches!(self.file.kept()?.progress, FileProgress::Uploading { .. }) {
            let upload = Upload {
                file: self.file.clone(),
                block_size: None,
                restart: false,
                source: self.source.clone(),
            };
            return upload.run(output);
        }
        let mut source = File::open(&self.source).map_err(Failure::at(&self.source))?;
        let found = source.metadata().map_err(Failure::at(&self.source))?;
        if !found.is_file() {
            return Err(Failure::not_plain(&self.source));
        }
        let mut client = self.file.open()?;
        // The outcome of an interrupted update is only reported. The update is not repeated,
        // because contents are compared afterwards.
        let settled = client.settle();
        match settled.map_err(|error| self.file.failure_of(&client, error))? {
            SettleOutcome::Nothing => {}
            SettleOutcome::Applied(state) => output.text(&settled_line(&state))?,
            SettleOutcome::Dropped(refusal) => eprintln!("pad: {}", ClientError::Dropped(refusal)),
        }
        let mut bar: Option<ProgressBar> = None;
        let synced = client.sync(&mut source, &mut |sent, total| {
            bar.get_or_insert_with(|| byte_bar(output, total, "sync"))
                .set_position(sent);
        });
        if let Some(bar) = bar {
            bar.finish_and_clear();
        }
        let synced = synced.map_err(|error| self.file.failure_of(&client, error))?;
        let line = state_line(&synced.state);
        let text = match (synced.updates, synced.sent) {
            (0, _) => format!("nothing to send: {line}"),
            (1, sent) => format!("sent {sent} bytes: {line}"),
            (updates, sent) => format!("sent {sent} bytes in {updates} updates: {line}"),
        };
        let mut object = state_object(&synced.state);
        object["new_versions"] = synced.updates.into();
        object["sent_bytes"] = synced.sent.into();
        output.say(&text, &object)
    }
}
