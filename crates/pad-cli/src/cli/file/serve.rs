//! `pad file serve` runs a file server. `pad file check` verifies the store of a file server.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use clap::Args;
use flexlist_service::{
    StoreError,
    internals::check,
    network::{Endpoint, Options},
    server::{FileServer, Limits, Owners, Settings},
};
use pad_core::{AuthorKey, Workers};
use pad_disk::engine::report_caught_panics;
use serde_json::json;

use crate::cli::{
    Failure, Output, Result,
    host::{Host, ProxyArguments, identity, report_damage},
};

/// Default address of file servers, and of clients that contact them.
pub(super) const DEFAULT_ADDRESS: &str = "127.0.0.1:7420";

const STORE_FILE: &str = "files.redb";

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  pad file serve --store files
  pad file serve --store files --listen 0.0.0.0:7420 \\
    --certificate chain.pem --private-key host.pem")]
pub(in crate::cli) struct Serve {
    /// The folder of the store, created if missing.
    #[arg(long, value_name = "DIR")]
    store: PathBuf,
    /// The address to listen at.
    #[arg(long, value_name = "ADDR", default_value = DEFAULT_ADDRESS)]
    listen: String,
    /// TLS certificate chain (PEM).
    #[arg(long, value_name = "FILE", requires = "private_key")]
    certificate: Option<PathBuf>,
    /// The certificate's private key (PEM).
    #[arg(long, value_name = "FILE", requires = "certificate")]
    private_key: Option<PathBuf>,
    #[command(flatten)]
    proxies: ProxyArguments,
    /// Let only owners with these keys create files; may be repeated.
    ///
    /// pad file owner shows the key. Existing files are served in any case.
    #[arg(long, value_name = "KEY", value_parser = owner_key)]
    allow_owner: Vec<[u8; 32]>,
    /// Maximum BYTES per owner in the store.
    #[arg(long, value_name = "BYTES", default_value_t = Limits::default().bytes_per_owner)]
    owner_bytes: u64,
    /// Maximum FILES per owner, including those deleted in the last day.
    #[arg(long, value_name = "FILES", default_value_t = Limits::default().files_per_owner)]
    owner_files: usize,
    /// Reserve BYTES on disk, so that files can be deleted when the disk is full.
    #[arg(long, value_name = "BYTES", default_value_t = RESERVE)]
    reserve: u64,
}

/// Default of `--reserve`: 16 MiB of disk space. The recovery of a store of hundreds of gigabytes
/// needs a part of it.
const RESERVE: u64 = 16 << 20;

fn owner_key(text: &str) -> Result<[u8; 32], String> {
    let mut key = [0; 32];
    hex::decode_to_slice(text, &mut key)
        .map_err(|_| "an owner's public key has 64 hexadecimal digits")?;
    AuthorKey::from_bytes(&key).map_err(|error| error.to_string())?;
    Ok(key)
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  pad file check --store files
  pad file check --store /var/lib/pad/files")]
pub(in crate::cli) struct Check {
    /// The folder of the store; no server may have it open.
    #[arg(long, value_name = "DIR")]
    store: PathBuf,
}

impl Serve {
    pub(in crate::cli) fn run(&self, output: &mut Output) -> Result {
        report_damage();
        let files = self.certificate.as_deref().zip(self.private_key.as_deref());
        let options = Options {
            identity: identity(["--certificate", "--private-key"], files)?,
            trusted_proxies: self.proxies.trusted_proxies.clone(),
            ..Options::default()
        };
        make_folder(&self.store).map_err(Failure::at(&self.store))?;
        let path = self.store.join(STORE_FILE);
        let store = FileServer::open_with(&path, self.settings());
        let store = store.map_err(|error| store_failure(&error))?;
        for (file, refusal) in store.load_all() {
            eprintln!("pad: file {file} cannot be served: {refusal}");
        }
        let files = store.files().len();
        let limits = options.limits;
        let host = Host::bind(&self.listen, options)?;
        let text = format!("serving {files} files at {} (Ctrl-C stops)", host.url());
        let said = (text.as_str(), json!({ "files": files }));
        host.run(Endpoint::new(store, limits), said, output, || {})
    }

    fn settings(&self) -> Settings {
        let owners = match self.allow_owner.as_slice() {
            [] => Owners::Anyone,
            keys => Owners::Only(keys.iter().copied().collect()),
        };
        Settings {
            limits: Limits {
                bytes_per_owner: self.owner_bytes,
                files_per_owner: self.owner_files,
                ..Limits::default()
            },
            owners,
            reserve_bytes: self.reserve,
            ..Settings::default()
        }
    }
}

impl Check {
    pub(in crate::cli) fn run(&self, output: &mut Output) -> Result {
        // The damage is reported at the end, so panic messages are suppressed.
        report_caught_panics(|_| {});
        let path: &Path = &self.store.join(STORE_FILE);
        let report = check(path, Workers::all_cores()).map_err(|error| store_failure(&error))?;
        let (files, blocks, bytes) = (report.files, report.blocks, report.bytes);
        let text = format!("{files} files, {blocks} blocks, {bytes} bytes");
        let damages: Vec<String> = report.damages.iter().map(ToString::to_string).collect();
        let object = json!({
            "files": files,
            "blocks": blocks,
            "bytes": bytes,
            "stray_blocks": report.stray_blocks,
            "damages": damages,
            "pages_damaged": report.has_damaged_pages,
        });
        output.say(&text, &object)?;
        if damages.is_empty() && !report.has_damaged_pages {
            return Ok(());
        }
        Err(if damages.is_empty() {
            Failure::Refused("the store is damaged: its pages, though no block".into())
                .help("copy it to another place")
        } else {
            Failure::Refused(format!("the store is damaged: {}", damages.join("; ")))
        })
    }
}

/// Creates the folder of a store, which only its user can access.
fn make_folder(path: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(path)
}

fn store_failure(error: &StoreError) -> Failure {
    Failure::Store(error.to_string())
}
