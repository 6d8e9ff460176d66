//! Server and clients of the experiment `network`, in one process and over the loopback interface.

use std::{io::Cursor, path::Path, sync::Arc, time::Duration};

use ed25519_dalek::SigningKey;
use flexlist::{
    Chunker,
    tag::{OwnerKey, TagKind},
};
use flexlist_service::{
    client::{ClientOptions, FileClient, HttpOptions, HttpTransport, Owner, StateKey},
    network::{Endpoint, Options, RunningServer, Server},
    server::{self, FileServer},
};
use pad_core::Workers;

use super::uplink::{Limited, Uplink};
use crate::{
    flexlist::blocks::{BLOCK_BYTES, content},
    prelude::*,
};

/// Client of a file on the server, over HTTP.
pub type Client = FileClient<Limited, SigningKey>;

/// A running server of outsourced files, whose store is in a folder.
pub struct Party<'a> {
    folder: &'a Path,
    running: RunningServer,
    tags: OwnerKey,
}

impl<'a> Party<'a> {
    /// Starts a server with an empty store in `folder`.
    pub fn start(folder: &'a Path) -> Outcome<Self> {
        let store = folder.join("store");
        let handler = FileServer::open(&store, server::Limits::default(), Workers::all_cores())?;
        let options = Options::default();
        let endpoint = Endpoint::new(handler, options.limits);
        Ok(Self {
            folder,
            running: Server::bind("127.0.0.1:0", options)?.start(endpoint)?,
            tags: OwnerKey::generate(TagKind::PrivateMac, &Workers::sequential())?,
        })
    }

    /// Uploads a file of `blocks` blocks. Stores the client's state in the folder under `name`.
    pub fn upload(&self, name: &str, blocks: u64) -> Outcome<()> {
        let chunker = Chunker::fixed(usize::try_from(BLOCK_BYTES)?)?;
        let (transport, state) = (self.transport(None)?, self.folder.join(name));
        let mut client = FileClient::create(&state, self.owner(), transport, chunker)?;
        let bytes = content(
            &mut Random::new(blocks),
            usize::try_from(blocks * BLOCK_BYTES)?,
        );
        client.upload(Cursor::new(bytes), &mut |_| ())?;
        Ok(())
    }

    /// Opens the client whose state was stored under `name`. Its responses pass the uplink, if
    /// there is one.
    pub fn client(&self, name: &str, uplink: Option<Arc<Uplink>>) -> Outcome<Client> {
        let options = ClientOptions {
            workers: Workers::sequential(),
            ..ClientOptions::default()
        };
        let state = self.folder.join(name);
        let client = FileClient::open(&state, self.owner(), self.transport(uplink)?)?;
        Ok(client.with_options(options))
    }

    /// Opens one more client of the file `name`, with a copy of its state. `number` distinguishes
    /// the copies. Such clients may read and audit at the same time, but must not change the file.
    pub fn reader(
        &self,
        name: &str,
        number: usize,
        uplink: Option<Arc<Uplink>>,
    ) -> Outcome<Client> {
        let copy = format!("{name}-{number}");
        std::fs::copy(self.folder.join(name), self.folder.join(&copy))?;
        self.client(&copy, uplink)
    }

    /// Stops the server, and waits until it has ended.
    pub fn stop(self) -> Outcome<()> {
        self.running.shutdown(Duration::from_secs(5));
        self.running.join()?;
        Ok(())
    }

    fn owner(&self) -> Owner<SigningKey> {
        Owner {
            key: author_key(),
            signer: signing_key(),
            tags: self.tags.clone(),
            state_key: StateKey::derive(signing_key().as_bytes()),
        }
    }

    fn transport(&self, uplink: Option<Arc<Uplink>>) -> Outcome<Limited> {
        let options = HttpOptions {
            attempts: 20,
            ..HttpOptions::default()
        };
        let address = format!("http://{}", self.running.address());
        let http = HttpTransport::new(&address, options)?;
        Ok(Limited { http, uplink })
    }
}
