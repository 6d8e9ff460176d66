//! Zstandard files, decompressed in Rust.

use core::fmt;
use std::io::{self, BufRead, Read};

use ruzstd::decoding::{
    BlockDecodingStrategy, FrameDecoder,
    errors::{FrameDecoderError, ReadFrameHeaderError},
};

/// Reader of a Zstandard file: frames one after another, whose checksums are verified.
///
/// Memory: the window that a frame requires, at most 100 MiB. Source: RFC 8878.
pub struct ZstandardReader<R> {
    source: R,
    frame: FrameDecoder,
    /// Whether the header of the current frame has been read, and its end has not.
    is_inside: bool,
}

impl<R: BufRead> ZstandardReader<R> {
    /// Creates a reader of all frames in `source`.
    pub fn new(source: R) -> Self {
        Self {
            source,
            frame: FrameDecoder::new(),
            is_inside: false,
        }
    }

    /// Reads the header of the next frame with data. Returns `false` at the end of the file.
    fn next_frame(&mut self) -> io::Result<bool> {
        while !self.source.fill_buf()?.is_empty() {
            match self.frame.reset(&mut self.source) {
                Ok(()) => return Ok(true),
                Err(FrameDecoderError::ReadFrameHeaderError(ReadFrameHeaderError::SkipFrame {
                    length,
                    ..
                })) => {
                    let length = u64::from(length);
                    let mut skipped = self.source.by_ref().take(length);
                    if io::copy(&mut skipped, &mut io::sink())? < length {
                        return Err(io::ErrorKind::UnexpectedEof.into());
                    }
                }
                Err(error) => return Err(io::Error::other(error)),
            }
        }
        Ok(false)
    }
}

impl<R: BufRead> Read for ZstandardReader<R> {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        if bytes.is_empty() {
            return Ok(0);
        }
        loop {
            if !self.is_inside {
                self.is_inside = self.next_frame()?;
                if !self.is_inside {
                    return Ok(0);
                }
            }
            while self.frame.can_collect() < bytes.len() && !self.frame.is_finished() {
                let missing = bytes.len().saturating_sub(self.frame.can_collect());
                self.frame
                    .decode_blocks(&mut self.source, BlockDecodingStrategy::UptoBytes(missing))
                    .map_err(io::Error::other)?;
            }
            let length = self.frame.read(bytes)?;
            if length > 0 {
                return Ok(length);
            }
            self.is_inside = false;
            let stored = self.frame.get_checksum_from_data();
            if stored.is_some() && stored != self.frame.get_calculated_checksum() {
                let error = "the checksum of the compressed data does not match";
                return Err(io::Error::new(io::ErrorKind::InvalidData, error));
            }
        }
    }
}

impl<R> fmt::Debug for ZstandardReader<R> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("ZstandardReader")
            .field("is_inside", &self.is_inside)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use ruzstd::encoding::{CompressionLevel, compress_to_vec};

    use super::*;

    fn unpacked(bytes: &[u8]) -> io::Result<Vec<u8>> {
        let mut plain = Vec::new();
        ZstandardReader::new(bytes).read_to_end(&mut plain)?;
        Ok(plain)
    }

    fn packed(plain: &[u8]) -> Vec<u8> {
        compress_to_vec(plain, CompressionLevel::Fastest)
    }

    #[test]
    fn reads_frames_one_after_another() {
        let long: Vec<u8> = (0..300_000_u32).flat_map(u32::to_le_bytes).collect();
        let skipped = [
            &0x184d_2a50_u32.to_le_bytes()[..],
            &3_u32.to_le_bytes(),
            b"any",
        ]
        .concat();
        let file = [
            packed(&long),
            skipped.clone(),
            packed(b""),
            packed(b"end"),
            skipped,
        ];
        let expected = [&long[..], b"end"].concat();
        assert_eq!(unpacked(&file.concat()).unwrap(), expected);
        assert_eq!(unpacked(b"").unwrap(), b"");
        // One byte at a time.
        let mut reader = ZstandardReader::new(&file[0][..]);
        let mut byte = [0];
        for expected in &long[..5000] {
            assert_eq!(reader.read(&mut byte).unwrap(), 1);
            assert_eq!(byte[0], *expected);
        }
    }

    /// Six times `hello `, with a line feed for the last space, as the library `zstd` packs it.
    const HELLO: &str = "28b52ffd04006d00003868656c6c6f200a0100b94b116b1f0867";

    #[test]
    fn verifies_checksums() {
        let mut file = hex::decode(HELLO).unwrap();
        assert_eq!(
            unpacked(&file).unwrap(),
            b"hello hello hello hello hello hello\n"
        );
        for place in [13, file.len() - 1] {
            file[place] ^= 1;
            let error = unpacked(&file).unwrap_err();
            assert_eq!(error.kind(), io::ErrorKind::InvalidData, "{place}");
            file[place] ^= 1;
        }
    }

    #[test]
    fn refuses_what_is_cut_or_changed() {
        let long: Vec<u8> = (0..300_000_u32).flat_map(u32::to_le_bytes).collect();
        let whole = packed(&long);
        for end in [1, 4, 5, 10, 1000, whole.len() - 1] {
            assert!(unpacked(&whole[..end]).is_err(), "{end}");
        }
        let cut_skip = [
            &0x184d_2a50_u32.to_le_bytes()[..],
            &3_u32.to_le_bytes(),
            b"an",
        ]
        .concat();
        assert!(unpacked(&cut_skip).is_err());
        assert!(unpacked(&[whole, b"rubbish".to_vec()].concat()).is_err());
    }
}
