//! Lists of digests in messages, read as one slice.

use alloc::vec::Vec;
use core::{fmt, marker::PhantomData};

use serde::{
    Deserialize, Deserializer,
    de::{Error, Visitor},
};

use crate::digest::{DigestBytes, name, number_after, numbered_name};

/// Deserializes a list of digests, for `#[serde(deserialize_with)]`. Its encoding is the encoding
/// of every other list.
///
/// The codec passes the bytes of all digests at once. The list is then allocated once, with the
/// length that these bytes have. Other formats pass one digest at a time.
///
/// # Errors
/// The deserializer's errors.
#[doc(hidden)]
pub fn digests<'de, D: DigestBytes, R: Deserializer<'de>>(
    deserializer: R,
) -> Result<Vec<D>, R::Error> {
    deserializer.deserialize_newtype_struct(DigestsVisitor::<D>::NAME, DigestsVisitor(PhantomData))
}

/// The width in bytes of the digests in the list whose newtype has this name; `None` for every
/// other newtype.
#[inline]
pub(super) fn list_width(name: &str) -> Option<usize> {
    number_after(LIST, name)
}

/// The start of a newtype's name for a list of digests. Their width follows in three digits.
const LIST: &str = "pad_core::digests";

struct DigestsVisitor<D>(PhantomData<D>);

impl<D: DigestBytes> DigestsVisitor<D> {
    const NAME: &'static str = name(&Self::NAME_BYTES);
    const NAME_BYTES: [u8; LIST.len() + 3] = {
        assert!(
            D::LENGTH > 0,
            "the number of digests follows from their bytes"
        );
        numbered_name(LIST, D::LENGTH)
    };
}

impl<'de, D: DigestBytes> Visitor<'de> for DigestsVisitor<D> {
    type Value = Vec<D>;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "digests of {} bytes", D::LENGTH)
    }

    fn visit_bytes<E: Error>(self, bytes: &[u8]) -> Result<Vec<D>, E> {
        let digests = bytes.chunks(D::LENGTH);
        let mut list = Vec::with_capacity(digests.len());
        for digest in digests {
            let digest = D::from_slice(digest);
            list.push(digest.ok_or_else(|| E::invalid_length(bytes.len(), &self))?);
        }
        Ok(list)
    }

    fn visit_newtype_struct<R: Deserializer<'de>>(
        self,
        deserializer: R,
    ) -> Result<Vec<D>, R::Error> {
        Vec::deserialize(deserializer)
    }
}
