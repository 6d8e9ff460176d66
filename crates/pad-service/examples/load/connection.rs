//! Connections from chosen local addresses.

use std::{
    io::{self, BufRead as _, BufReader, Read as _},
    net::{Ipv4Addr, SocketAddr, TcpStream},
    time::Duration,
};

use super::store::Outcome;

/// Connects from the loopback address `local`. Reads and writes time out after `patience`.
pub(crate) fn connect_from(
    local: Ipv4Addr,
    server: SocketAddr,
    patience: Duration,
) -> io::Result<TcpStream> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    let stream = runtime.block_on(async {
        let socket = tokio::net::TcpSocket::new_v4()?;
        socket.bind(SocketAddr::from((local, 0)))?;
        socket.connect(server).await?.into_std()
    })?;
    stream.set_nonblocking(false)?;
    stream.set_nodelay(true)?;
    stream.set_read_timeout(Some(patience))?;
    stream.set_write_timeout(Some(patience))?;
    Ok(stream)
}

/// Reads one response, and returns its status.
pub(crate) fn read_answer(
    reader: &mut BufReader<TcpStream>,
    line: &mut String,
    body: &mut Vec<u8>,
) -> Outcome<u16> {
    let mut length = 0;
    line.clear();
    reader.read_line(line)?;
    let status = line
        .strip_prefix("HTTP/1.1 ")
        .and_then(|rest| rest.get(..3)?.parse().ok())
        .ok_or_else(|| format!("the server said {line}"))?;
    loop {
        line.clear();
        reader.read_line(line)?;
        let Some((name, value)) = line.split_once(':') else {
            break;
        };
        if name.eq_ignore_ascii_case("content-length") {
            length = value.trim().parse()?;
        }
    }
    body.resize(length, 0);
    reader.read_exact(body)?;
    Ok(status)
}
