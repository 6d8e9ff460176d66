//! Connections from given addresses of the loopback interface.

use std::{
    io::{self, Read, Write},
    net::{SocketAddr, TcpStream},
    sync::Arc,
    time::Duration,
};

use rustls::{
    ClientConfig, ClientConnection, RootCertStore, StreamOwned,
    crypto::ring,
    pki_types::{CertificateDer, pem::PemObject as _},
};
use socket2::{Domain, Socket, Type};

use crate::bench::Bench;

/// A connection with or without TLS.
pub(super) trait Stream: Read + Write {}

impl<T: Read + Write> Stream for T {}

/// Opens connections to the servers.
pub(super) struct Connector(Arc<ClientConfig>);

impl Connector {
    /// Trusts the certificate in `tls.pem`.
    pub(super) fn new(bench: &Bench) -> Self {
        let mut roots = RootCertStore::empty();
        let root = CertificateDer::from_pem_slice(&bench.read("tls.pem")).unwrap();
        roots.add(root).unwrap();
        let tls = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_root_certificates(roots)
            .with_no_client_auth();
        Self(Arc::new(tls))
    }

    /// Connects from `127.0.0.last`. Each read and write waits at most `patience`. The handshake of
    /// TLS begins with the first write.
    pub(super) fn open(
        &self,
        is_encrypted: bool,
        last: u8,
        server: SocketAddr,
        patience: Duration,
    ) -> io::Result<Box<dyn Stream>> {
        let stream = connect(last, server, patience)?;
        if !is_encrypted {
            return Ok(Box::new(stream));
        }
        let tls = ClientConnection::new(Arc::clone(&self.0), server.ip().into());
        let tls = tls.map_err(io::Error::other)?;
        Ok(Box::new(StreamOwned::new(tls, stream)))
    }
}

fn connect(last: u8, server: SocketAddr, patience: Duration) -> io::Result<TcpStream> {
    let socket = Socket::new(Domain::IPV4, Type::STREAM, None)?;
    socket.bind(&SocketAddr::from(([127, 0, 0, last], 0)).into())?;
    socket.connect_timeout(&server.into(), patience)?;
    let stream = TcpStream::from(socket);
    stream.set_nodelay(true)?;
    stream.set_read_timeout(Some(patience))?;
    stream.set_write_timeout(Some(patience))?;
    Ok(stream)
}
