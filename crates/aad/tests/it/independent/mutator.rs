//! Changes of messages and questions, from a seed.

use bls12_381::{G1Affine, G1Projective, Scalar};
use rand::{RngExt as _, SeedableRng as _, seq::IndexedRandom as _};
use rand_chacha::ChaCha8Rng;
use serde_json::Value as Json;

use super::reader::{Field, Kind};

/// A message under attack, with what an honest or dishonest log said it answers.
pub(super) struct Specimen {
    pub(super) case: Json,
    pub(super) message: Vec<u8>,
    pub(super) fields: Vec<Field>,
}

/// Makes changes.
pub(super) struct Mutator {
    pub(super) random: ChaCha8Rng,
    /// Points of all messages, and others.
    points: Vec<[u8; 48]>,
}

/// `r`, of which a multiple makes another encoding of a scalar.
const ORDER: &str = "73eda753299d7d483339d80809a1d80553bda402fffe5bfeffffffff00000001";

impl Mutator {
    /// Points to put into messages are those of the specimens, and others.
    pub(super) fn new<'s>(seed: u64, specimens: impl Iterator<Item = &'s Specimen>) -> Self {
        let mut points = vec![G1Affine::identity().to_compressed()];
        points.push(G1Affine::generator().to_compressed());
        points.extend(outside_the_subgroup());
        for specimen in specimens {
            let fields = specimen.fields.iter();
            let found = fields.filter(|field| field.kind == Kind::Point);
            let bytes = found.map(|field| &specimen.message[field.at..][..48]);
            points.extend(bytes.map(|bytes| <[u8; 48]>::try_from(bytes).unwrap()));
        }
        Self {
            random: ChaCha8Rng::seed_from_u64(seed),
            points,
        }
    }

    pub(super) fn below(&mut self, limit: usize) -> usize {
        self.random.random_range(0..limit.max(1))
    }

    /// A field of this kind that is still within the message.
    fn field(&mut self, specimen: &Specimen, message: &[u8], kind: Kind) -> Option<Field> {
        let fields = specimen.fields.iter();
        let within = fields.filter(|field| field.at + field.length <= message.len());
        let all: Vec<&Field> = within.filter(|field| field.kind == kind).collect();
        all.choose(&mut self.random).map(|field| **field)
    }

    /// One change. `other` is a message of this or another log.
    pub(super) fn change(&mut self, of: &Specimen, other: &Specimen, message: &mut Vec<u8>) {
        match self.below(10) {
            0 => self.change_a_byte(message),
            1 => self.change_the_length(message),
            2 => self.splice(of, other, message),
            3 => self.swap_fields(of, message),
            4 => self.copy_a_field(of, other, message),
            5 => self.replace_a_point(of, message),
            6 => self.shift_two_points(of, message),
            7 => self.change_a_scalar(of, message),
            8 => self.change_a_number(of, message),
            _ => self.repeat_or_drop_a_field(of, message),
        }
    }

    fn change_a_byte(&mut self, message: &mut [u8]) {
        let place = self.below(message.len());
        if let Some(byte) = message.get_mut(place) {
            *byte = if self.random.random() {
                *byte ^ 1 << self.random.random_range(0..8)
            } else {
                self.random.random()
            };
        }
    }

    fn change_the_length(&mut self, message: &mut Vec<u8>) {
        let length = match self.below(4) {
            0 => self.below(message.len()),
            1 => message.len().saturating_sub(1),
            _ => message.len() + 1 + self.below(64),
        };
        message.resize(length, self.random.random());
    }

    /// The beginning of one message and the end of another, at the borders of their fields.
    fn splice(&mut self, of: &Specimen, other: &Specimen, message: &mut Vec<u8>) {
        let borders = |of: &Specimen| of.fields.iter().map(|field| field.at).collect::<Vec<_>>();
        let here = borders(of).choose(&mut self.random).copied();
        let mut there = borders(other).choose(&mut self.random).copied();
        if self.random.random() {
            there = here;
        }
        let (here, there) = (here.unwrap_or(0), there.unwrap_or(0));
        message.truncate(here);
        message.extend_from_slice(other.message.get(there..).unwrap_or(&[]));
    }

    fn kind(&mut self) -> Kind {
        let kinds = [Kind::Point, Kind::Scalar, Kind::Hash, Kind::Element];
        kinds[self.below(4)]
    }

    fn swap_fields(&mut self, of: &Specimen, message: &mut [u8]) {
        let kind = self.kind();
        let two = [(); 2].map(|()| self.field(of, message, kind));
        if let [Some(one), Some(other)] = two {
            for offset in 0..one.length {
                message.swap(one.at + offset, other.at + offset);
            }
        }
    }

    fn copy_a_field(&mut self, of: &Specimen, other: &Specimen, message: &mut [u8]) {
        let kind = self.kind();
        let from = self.field(other, &other.message, kind);
        if let (Some(from), Some(to)) = (from, self.field(of, message, kind))
            && from.length == to.length
        {
            let bytes = &other.message[from.at..from.at + from.length];
            message[to.at..to.at + to.length].copy_from_slice(bytes);
        }
    }

    fn replace_a_point(&mut self, of: &Specimen, message: &mut [u8]) {
        let Some(field) = self.field(of, message, Kind::Point) else {
            return;
        };
        let point = &mut message[field.at..][..48];
        match self.below(6) {
            // The negative; the other two flags.
            0 => point[0] ^= 0x20,
            1 => point[0] ^= 0x40,
            2 => point[0] ^= 0x80,
            // The identity, the generator and points outside the subgroup come first.
            3 => point.copy_from_slice(&self.points[self.random.random_range(0..6)]),
            _ => point.copy_from_slice(self.points.choose(&mut self.random).unwrap()),
        }
    }

    /// Adds a point to one and subtracts it from another: sums stay what they are.
    fn shift_two_points(&mut self, of: &Specimen, message: &mut [u8]) {
        let by = G1Affine::generator() * Scalar::from(self.random.random_range(1..4_u64));
        let two = [(); 2].map(|()| self.field(of, message, Kind::Point));
        if let [Some(one), Some(other)] = two {
            for (field, by) in [(one, by), (other, -by)] {
                let bytes = &mut message[field.at..][..48];
                let read = G1Affine::from_compressed((&*bytes).try_into().unwrap());
                if let Some(point) = Option::<G1Affine>::from(read) {
                    let shifted = G1Affine::from(by + point);
                    bytes.copy_from_slice(&shifted.to_compressed());
                }
            }
        }
    }

    fn change_a_scalar(&mut self, of: &Specimen, message: &mut [u8]) {
        let Some(field) = self.field(of, message, Kind::Scalar) else {
            return;
        };
        let order = hex::decode(ORDER).unwrap();
        let mut one = vec![0; 32];
        one[31] = 1;
        let added = match self.below(4) {
            0 => vec![0; 32],
            1 => one,
            _ => order,
        };
        let scalar = &mut message[field.at..][..32];
        if self.below(4) == 0 {
            scalar.fill(0);
        }
        let mut carry = 0;
        for (digit, added) in scalar.iter_mut().zip(&added).rev() {
            carry += u16::from(*digit) + u16::from(*added);
            [_, *digit] = carry.to_be_bytes();
            carry >>= 8;
        }
    }

    fn change_a_number(&mut self, of: &Specimen, message: &mut [u8]) {
        let Some(field) = self.field(of, message, Kind::Number) else {
            return;
        };
        let digits = &mut message[field.at..][..field.length];
        let last = field.length - 1;
        match self.below(5) {
            0 => digits.fill(0),
            1 => digits.fill(0xff),
            2 => digits[last] = digits[last].wrapping_add(1),
            3 => digits[last] = digits[last].wrapping_sub(1),
            _ => self.random.fill(digits),
        }
    }

    fn repeat_or_drop_a_field(&mut self, of: &Specimen, message: &mut Vec<u8>) {
        let kind = self.kind();
        if let Some(field) = self.field(of, message, kind) {
            let range = field.at..field.at + field.length;
            let repeated = if self.random.random() {
                message[range.clone()].repeat(2)
            } else {
                Vec::new()
            };
            message.splice(range, repeated);
        }
    }

    /// Another question, or a part of another.
    pub(super) fn change_the_question(&mut self, case: &mut Json, other: &Json) {
        if self.random.random() {
            *case = other.clone();
        } else if let Some(part) = ["root", "key", "value", "old_root", "new_root"]
            .choose(&mut self.random)
            .filter(|part| case.get(part).is_some())
        {
            if let Some(value) = other.get(part) {
                case[part] = value.clone();
            } else if *part == "old_root" && self.random.random() {
                // Backwards.
                let (old, new) = (case["old_root"].clone(), case["new_root"].clone());
                (case["old_root"], case["new_root"]) = (new, old);
            }
        }
    }
}

/// Points of the curve that are not in the subgroup: any one, and what is left of it outside.
fn outside_the_subgroup() -> Vec<[u8; 48]> {
    let candidates = (1..=u8::MAX).filter_map(|x| {
        let mut bytes = [0; 48];
        (bytes[0], bytes[47]) = (0x80, x);
        let point: Option<G1Affine> = G1Affine::from_compressed_unchecked(&bytes).into();
        point.filter(|point| !bool::from(point.is_torsion_free()))
    });
    let any = candidates.take(2).flat_map(|point| {
        // r - 1 times and once more: a point whose order divides the cofactor.
        let multiple = G1Projective::from(point) * -Scalar::one() + point;
        [point, multiple.into()]
    });
    any.map(|point| point.to_compressed()).collect()
}
