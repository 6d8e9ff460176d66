//! Kernels for AVX-512 IFMA. One vector instruction works on eight limbs, one in each lane.
//!
//! `vpmadd52luq` and `vpmadd52huq` multiply the low 52 bits of eight pairs. They add the low or
//! high 52 bits of the products to eight columns. No branch and no address depends on a number's
//! value.
//!
//! Eight numbers are squared by a separate algorithm. It computes each product of two different
//! limbs once, and reduces afterwards. Compared with a product, it saves a quarter of the
//! multiplications, and needs memory for twice as many columns.

use core::arch::x86_64::{
    __m256i, __m512i, _mm256_extract_epi64, _mm512_add_epi64, _mm512_and_si512,
    _mm512_castsi512_si256, _mm512_cmpeq_epi64_mask, _mm512_extracti64x4_epi64,
    _mm512_madd52hi_epu64, _mm512_madd52lo_epu64, _mm512_mask_mov_epi64,
    _mm512_mask_permutexvar_epi64, _mm512_movepi64_mask, _mm512_or_si512, _mm512_set1_epi64,
    _mm512_setr_epi64, _mm512_setzero_si512, _mm512_sllv_epi64, _mm512_srai_epi64,
    _mm512_srli_epi64, _mm512_srlv_epi64, _mm512_sub_epi64,
};

use crate::{
    arguments::{ByModulus, OneModulus, Pair},
    limbs::{LANES, LIMB, LIMB_BITS},
    number::Number,
    numbers::{Numbers, Row},
};

/// Smallest number of limbs for which a square processes two limbs in one pass over the columns
/// (`add_two_rows`, `reduce_by_two`). With fewer limbs all columns fit in the registers, so a pass
/// for two limbs saves no memory access.
const WIDE: usize = 12;

/// Proof that the processor supports the instructions of the kernels.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ifma(());

impl Ifma {
    /// Returns a value if the processor supports the instructions, otherwise `None`.
    pub(crate) fn detect() -> Option<Self> {
        let found = is_x86_feature_detected!("avx512f")
            && is_x86_feature_detected!("avx512dq")
            && is_x86_feature_detected!("avx512vl")
            && is_x86_feature_detected!("avx512ifma");
        found.then_some(Self(()))
    }

    /// Calls a kernel of this module or of [`one`].
    #[allow(
        unsafe_code,
        reason = "the program is not compiled for the instructions of the kernels"
    )]
    #[allow(clippy::unused_self, reason = "it shows that `detect` found them")]
    fn call<A, R>(self, kernel: unsafe fn(A) -> R, arguments: A) -> R {
        // SAFETY: the kernels of this module and of `one` are safe functions that need nothing but
        // the features which `detect` found before it made `self`. No other function is passed:
        // this method and the kernels are private.
        unsafe { kernel(arguments) }
    }
}

/// Defines a method of [`Ifma`] for each kernel. It calls the kernel.
macro_rules! kernels {
    ($($name:ident <$($width:ident),+> ($arguments:ty) -> $result:ty;)+) => {
        impl Ifma {
            $(
                pub(crate) fn $name<$(const $width: usize),+>(
                    self,
                    arguments: $arguments,
                ) -> $result {
                    self.call($name, arguments)
                }
            )+
        }
    };
}

kernels! {
    mul<LIMBS>((Pair<LIMBS>, ByModulus<LIMBS>)) -> Numbers<LIMBS>;
    square_times<LIMBS>((&Numbers<LIMBS>, ByModulus<LIMBS>, u32)) -> Numbers<LIMBS>;
    mul_one<ROWS>((&Number<ROWS>, &Number<ROWS>, &OneModulus<ROWS>)) -> Number<ROWS>;
    square_one_times<ROWS>((&Number<ROWS>, &OneModulus<ROWS>, u32)) -> Number<ROWS>;
    add<LIMBS>((Pair<LIMBS>, &Numbers<LIMBS>)) -> Numbers<LIMBS>;
    subtract<LIMBS>((Pair<LIMBS>, &Numbers<LIMBS>)) -> Numbers<LIMBS>;
    shift_left<LIMBS>((&Numbers<LIMBS>, &Row)) -> Numbers<LIMBS>;
    select<LIMBS>((u8, Pair<LIMBS>)) -> Numbers<LIMBS>;
    look_up<LIMBS>((&[Numbers<LIMBS>], &Row)) -> Numbers<LIMBS>;
    split<LIMBS, WORDS>(&[&[u64; WORDS]; LANES]) -> Numbers<LIMBS>;
    join<LIMBS, WORDS>(&Numbers<LIMBS>) -> [[u64; WORDS]; LANES];
}

/// Number of bits of a word outside of lanes.
const WORD_BITS: usize = 64;

/// Iterates over the limbs: the word that contains the lowest bit of a limb, and that bit's
/// position in the word.
fn limb_positions() -> impl Iterator<Item = (usize, usize)> {
    let bits = usize::try_from(LIMB_BITS).unwrap_or(0);
    (0..).map(move |limb| (bits * limb / WORD_BITS, bits * limb % WORD_BITS))
}

/// A limb or a column of each lane.
type Vector = __m512i;

/// Defines functions that are compiled for the instructions of the kernels.
macro_rules! vectorised {
    ($(
        $(#[$attribute:meta])*
        $visibility:vis fn $name:ident
        $(<$(const $width:ident),+>)? ($($arguments:tt)*) $(-> $result:ty)?
        $body:block
    )+) => {
        $(
            $(#[$attribute])*
            #[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512ifma")]
            $visibility fn $name $(<$(const $width: usize),+>)? ($($arguments)*) $(-> $result)? $body
        )+
    };
}

mod one;

use one::{mul_one, square_one_times};

vectorised! {
    #[inline]
    #[allow(clippy::many_single_char_names, reason = "eight lanes")]
    fn load(row: &[u64; LANES]) -> Vector {
        let [a, b, c, d, e, f, g, h] = row.map(u64::cast_signed);
        _mm512_setr_epi64(a, b, c, d, e, f, g, h)
    }

    #[inline]
    #[allow(clippy::many_single_char_names, reason = "eight lanes")]
    fn store(vector: Vector) -> [u64; LANES] {
        let [a, b, c, d] = words(_mm512_castsi512_si256(vector));
        let [e, f, g, h] = words(_mm512_extracti64x4_epi64::<1>(vector));
        [a, b, c, d, e, f, g, h].map(i64::cast_unsigned)
    }

    #[inline]
    fn words(half: __m256i) -> [i64; 4] {
        [
            _mm256_extract_epi64::<0>(half),
            _mm256_extract_epi64::<1>(half),
            _mm256_extract_epi64::<2>(half),
            _mm256_extract_epi64::<3>(half),
        ]
    }

    #[inline]
    fn load_all<const LIMBS>(numbers: &Numbers<LIMBS>) -> [Vector; LIMBS] {
        let mut vectors = [_mm512_setzero_si512(); LIMBS];
        for (vector, row) in vectors.iter_mut().zip(&numbers.rows) {
            *vector = load(&row.0);
        }
        vectors
    }

    #[inline]
    fn store_all<const LIMBS>(vectors: &[Vector; LIMBS]) -> Numbers<LIMBS> {
        let mut numbers = Numbers::ZERO;
        for (row, vector) in numbers.rows.iter_mut().zip(vectors) {
            row.0 = store(*vector);
        }
        numbers
    }

    #[inline]
    fn limb_mask() -> Vector {
        _mm512_set1_epi64(LIMB.cast_signed())
    }

    /// Adds the low halves of products to columns.
    #[inline]
    fn low(columns: Vector, left: Vector, right: Vector) -> Vector {
        _mm512_madd52lo_epu64(columns, left, right)
    }

    /// Adds the high halves of products to columns.
    #[inline]
    fn high(columns: Vector, left: Vector, right: Vector) -> Vector {
        _mm512_madd52hi_epu64(columns, left, right)
    }

    /// Propagates the carries of columns. Drops the carries out of the highest limbs.
    #[inline]
    fn carried<const LIMBS>(columns: &[Vector; LIMBS]) -> [Vector; LIMBS] {
        let mut carry = _mm512_setzero_si512();
        let mut limbs = *columns;
        for limb in &mut limbs {
            let sum = _mm512_add_epi64(*limb, carry);
            carry = _mm512_srli_epi64::<52>(sum);
            *limb = _mm512_and_si512(sum, limb_mask());
        }
        limbs
    }

    /// Multiplies row by row. Each row also adds the multiple of the modulus that clears its lowest
    /// column, which is then dropped.
    #[inline]
    fn product<const LIMBS>(
        left: &[Vector; LIMBS],
        right: &[Vector; LIMBS],
        modulus: &[Vector; LIMBS],
        inverse: Vector,
    ) -> [Vector; LIMBS] {
        let zero = _mm512_setzero_si512();
        let mut columns = [zero; LIMBS];
        for limb in right.iter().copied() {
            let lowest = low(columns[0], left[0], limb);
            let multiple = _mm512_and_si512(low(zero, lowest, inverse), limb_mask());
            let carry = _mm512_srli_epi64::<52>(low(lowest, multiple, modulus[0]));
            for j in 1..LIMBS {
                // Two sums, so that no instruction waits for four others.
                let lows = low(low(columns[j], left[j], limb), multiple, modulus[j]);
                let highs = high(high(zero, left[j - 1], limb), multiple, modulus[j - 1]);
                columns[j - 1] = _mm512_add_epi64(lows, highs);
            }
            columns[0] = _mm512_add_epi64(columns[0], carry);
            columns[LIMBS - 1] =
                high(high(zero, left[LIMBS - 1], limb), multiple, modulus[LIMBS - 1]);
        }
        carried(&columns)
    }

    /// Squares and reduces. Computes each product of two different limbs once, doubles these
    /// products, and adds the squares of the limbs.
    #[inline]
    fn square<const LIMBS>(
        value: &[Vector; LIMBS],
        modulus: &[Vector; LIMBS],
        inverse: Vector,
    ) -> [Vector; LIMBS] {
        let mut wide = [[_mm512_setzero_si512(); LIMBS]; 2];
        let columns = wide.as_flattened_mut();
        if LIMBS < WIDE {
            for i in 0..LIMBS {
                add_row(&mut columns[2 * i..=i + LIMBS], value[i], &value[i..]);
            }
        } else {
            for i in (0..LIMBS).step_by(2) {
                add_two_rows(&mut columns[2 * i..], &value[i..]);
            }
        }
        for (i, limb) in value.iter().copied().enumerate() {
            let [even, odd] = [columns[2 * i], columns[2 * i + 1]];
            columns[2 * i] = low(_mm512_add_epi64(even, even), limb, limb);
            columns[2 * i + 1] = high(_mm512_add_epi64(odd, odd), limb, limb);
        }
        if LIMBS < WIDE {
            reduce_by_one(&mut wide, modulus, inverse)
        } else {
            reduce_by_two(&mut wide, modulus, inverse)
        }
    }

    /// Adds the products of `limb`, the first of `limbs`, with the other limbs. `columns` starts at
    /// the column of the square of `limb`.
    #[inline]
    fn add_row(columns: &mut [Vector], limb: Vector, limbs: &[Vector]) {
        for j in 1..limbs.len() {
            columns[j] = low(columns[j], limb, limbs[j]);
            columns[j + 1] = high(columns[j + 1], limb, limbs[j]);
        }
    }

    /// Like [`add_row`], for the first two limbs at once: half as many loads and stores of columns.
    #[inline]
    fn add_two_rows(columns: &mut [Vector], limbs: &[Vector]) {
        let [first, second, ..] = *limbs else {
            return;
        };
        let count = limbs.len();
        // The columns with fewer than four products, from both ends.
        for j in (1..count.min(4)).chain(count..count + 2) {
            let mut column = columns[j];
            if j < count {
                column = low(column, first, limbs[j]);
            }
            if j > 1 && j <= count {
                column = high(column, first, limbs[j - 1]);
            }
            if j > 2 && j <= count {
                column = low(column, second, limbs[j - 1]);
            }
            if j > 3 {
                column = high(column, second, limbs[j - 2]);
            }
            columns[j] = column;
        }
        if count > 4 {
            add_both(&mut columns[4..count], [first, second], &limbs[2..]);
        }
    }

    /// Adds to each column four halves of products, two of each factor. From the first factor,
    /// column `i` takes the low half with limb `i + 2` and the high half with limb `i + 1`.
    /// From the second one, it takes the halves with limbs `i + 1` and `i`.
    #[inline]
    fn add_both(columns: &mut [Vector], [first, second]: [Vector; 2], limbs: &[Vector]) {
        let zero = _mm512_setzero_si512();
        for (column, limbs) in columns.iter_mut().zip(limbs.array_windows()) {
            let [below, middle, above] = *limbs;
            let one = high(low(*column, first, above), first, middle);
            let other = high(low(zero, second, middle), second, below);
            *column = _mm512_add_epi64(one, other);
        }
    }

    /// Adds a multiple of the modulus that clears the lower columns, and returns the upper ones.
    #[inline]
    fn reduce_by_one<const LIMBS>(
        wide: &mut [[Vector; LIMBS]; 2],
        modulus: &[Vector; LIMBS],
        inverse: Vector,
    ) -> [Vector; LIMBS] {
        let columns = wide.as_flattened_mut();
        let mut carry = _mm512_setzero_si512();
        for i in 0..LIMBS {
            carry = clear_lowest(&mut columns[i..=i + LIMBS], carry, modulus, inverse);
        }
        columns[LIMBS] = _mm512_add_epi64(columns[LIMBS], carry);
        carried(&wide[1])
    }

    /// Adds `carry` to the lowest column, and then the multiple of the modulus that clears it.
    /// Returns the carry out of that column.
    #[inline]
    fn clear_lowest<const LIMBS>(
        columns: &mut [Vector],
        carry: Vector,
        modulus: &[Vector; LIMBS],
        inverse: Vector,
    ) -> Vector {
        let lowest = _mm512_add_epi64(columns[0], carry);
        let multiple = multiple(lowest, inverse);
        for j in 1..LIMBS {
            columns[j] = high(low(columns[j], multiple, modulus[j]), multiple, modulus[j - 1]);
        }
        columns[LIMBS] = high(columns[LIMBS], multiple, modulus[LIMBS - 1]);
        _mm512_srli_epi64::<52>(low(lowest, multiple, modulus[0]))
    }

    /// Returns the limb `m` for which adding `m` times the modulus clears a column.
    #[inline]
    fn multiple(column: Vector, inverse: Vector) -> Vector {
        let multiple = low(_mm512_setzero_si512(), column, inverse);
        _mm512_and_si512(multiple, limb_mask())
    }

    /// Like [`reduce_by_one`], but clears two columns at once: half as many loads and stores.
    #[inline]
    fn reduce_by_two<const LIMBS>(
        wide: &mut [[Vector; LIMBS]; 2],
        modulus: &[Vector; LIMBS],
        inverse: Vector,
    ) -> [Vector; LIMBS] {
        let columns = wide.as_flattened_mut();
        let mut carry = _mm512_setzero_si512();
        for i in (0..LIMBS - 1).step_by(2) {
            let columns = &mut columns[i..i + LIMBS + 2];
            let lowest = _mm512_add_epi64(columns[0], carry);
            let first = multiple(lowest, inverse);
            let carried = _mm512_srli_epi64::<52>(low(lowest, first, modulus[0]));
            let next = high(low(columns[1], first, modulus[1]), first, modulus[0]);
            let next = _mm512_add_epi64(next, carried);
            let second = multiple(next, inverse);
            carry = _mm512_srli_epi64::<52>(low(next, second, modulus[0]));
            add_both(&mut columns[2..LIMBS], [first, second], modulus);
            let last = modulus[LIMBS - 1];
            let column = high(low(columns[LIMBS], second, last), first, last);
            columns[LIMBS] = high(column, second, modulus[LIMBS - 2]);
            columns[LIMBS + 1] = high(columns[LIMBS + 1], second, last);
        }
        if LIMBS % 2 == 1 {
            let columns = &mut columns[LIMBS - 1..];
            carry = clear_lowest(columns, carry, modulus, inverse);
        }
        columns[LIMBS] = _mm512_add_epi64(columns[LIMBS], carry);
        carried(&wide[1])
    }

    /// Computes `left - right` modulo `2^(52 LIMBS)`, and a vector of the borrows, 0 or -1.
    #[inline]
    fn difference<const LIMBS>(
        left: &[Vector; LIMBS],
        right: &[Vector; LIMBS],
    ) -> ([Vector; LIMBS], Vector) {
        let mut borrow = _mm512_setzero_si512();
        let mut limbs = *left;
        for (limb, right) in limbs.iter_mut().zip(right) {
            let less = _mm512_add_epi64(_mm512_sub_epi64(*limb, *right), borrow);
            borrow = _mm512_srai_epi64::<63>(less);
            *limb = _mm512_and_si512(less, limb_mask());
        }
        (limbs, borrow)
    }

    /// Selects the lanes of `first` whose borrow is -1, and those of `second` elsewhere.
    #[inline]
    fn select_by_borrow<const LIMBS>(
        borrow: Vector,
        first: &[Vector; LIMBS],
        second: &[Vector; LIMBS],
    ) -> [Vector; LIMBS] {
        chosen(_mm512_movepi64_mask(borrow), first, second)
    }

    /// Takes the lanes of `first` whose bit of `mask` is set, and the other lanes of `second`.
    #[inline]
    fn chosen<const LIMBS>(
        mask: u8,
        first: &[Vector; LIMBS],
        second: &[Vector; LIMBS],
    ) -> [Vector; LIMBS] {
        let mut chosen = *second;
        for (limb, first) in chosen.iter_mut().zip(first) {
            *limb = _mm512_mask_mov_epi64(*limb, mask, *first);
        }
        chosen
    }

    #[inline]
    fn sum<const LIMBS>(left: &[Vector; LIMBS], right: &[Vector; LIMBS]) -> [Vector; LIMBS] {
        let mut columns = *left;
        for (column, right) in columns.iter_mut().zip(right) {
            *column = _mm512_add_epi64(*column, *right);
        }
        carried(&columns)
    }

    fn mul<const LIMBS>(
        ((left, right), (moduli, inverses)): (Pair<LIMBS>, ByModulus<LIMBS>),
    ) -> Numbers<LIMBS> {
        let [left, right, moduli] = [load_all(left), load_all(right), load_all(moduli)];
        store_all(&product(&left, &right, &moduli, load(&inverses.0)))
    }

    fn square_times<const LIMBS>(
        (value, (moduli, inverses), count): (&Numbers<LIMBS>, ByModulus<LIMBS>, u32),
    ) -> Numbers<LIMBS> {
        let moduli = load_all(moduli);
        let inverses = load(&inverses.0);
        let mut value = load_all(value);
        for _ in 0..count {
            value = square(&value, &moduli, inverses);
        }
        store_all(&value)
    }

    fn add<const LIMBS>(
        ((left, right), bound): (Pair<LIMBS>, &Numbers<LIMBS>),
    ) -> Numbers<LIMBS> {
        let sum = sum(&load_all(left), &load_all(right));
        let (less, borrow) = difference(&sum, &load_all(bound));
        store_all(&select_by_borrow(borrow, &sum, &less))
    }

    fn subtract<const LIMBS>(
        ((left, right), bound): (Pair<LIMBS>, &Numbers<LIMBS>),
    ) -> Numbers<LIMBS> {
        let (less, borrow) = difference(&load_all(left), &load_all(right));
        // The carry out of the highest limb cancels the borrow.
        let more = sum(&less, &load_all(bound));
        store_all(&select_by_borrow(borrow, &more, &less))
    }

    fn shift_left<const LIMBS>((value, bits): (&Numbers<LIMBS>, &Row)) -> Numbers<LIMBS> {
        let bits = load(&bits.0);
        let back = _mm512_sub_epi64(_mm512_set1_epi64(52), bits);
        let mut limbs = load_all(value);
        let mut below = _mm512_setzero_si512();
        for limb in &mut limbs {
            let shifted = _mm512_and_si512(_mm512_sllv_epi64(*limb, bits), limb_mask());
            let shifted = _mm512_or_si512(shifted, below);
            below = _mm512_srlv_epi64(*limb, back);
            *limb = shifted;
        }
        store_all(&limbs)
    }

    fn select<const LIMBS>((mask, (first, second)): (u8, Pair<LIMBS>)) -> Numbers<LIMBS> {
        store_all(&chosen(mask, &load_all(first), &load_all(second)))
    }

    fn look_up<const LIMBS>((table, indices): (&[Numbers<LIMBS>], &Row)) -> Numbers<LIMBS> {
        let indices = load(&indices.0);
        let group_of_each = _mm512_srli_epi64::<3>(indices);
        let mut found = [_mm512_setzero_si512(); LIMBS];
        for (group, entries) in (0_i64..).zip(table) {
            let mask = _mm512_cmpeq_epi64_mask(group_of_each, _mm512_set1_epi64(group));
            for (found, row) in found.iter_mut().zip(&entries.rows) {
                // The low three bits of an index select a lane.
                *found = _mm512_mask_permutexvar_epi64(*found, mask, indices, load(&row.0));
            }
        }
        store_all(&found)
    }

    fn split<const LIMBS, const WORDS>(numbers: &[&[u64; WORDS]; LANES]) -> Numbers<LIMBS> {
        let mut words = [_mm512_setzero_si512(); WORDS];
        for (index, word) in words.iter_mut().enumerate() {
            let mut row = [0; LANES];
            for (place, number) in row.iter_mut().zip(numbers) {
                *place = number[index];
            }
            *word = load(&row);
        }
        let mut limbs = [_mm512_setzero_si512(); LIMBS];
        for (limb, (index, shift)) in limbs.iter_mut().zip(limb_positions()) {
            if index < WORDS {
                *limb = _mm512_srlv_epi64(words[index], count(shift));
            }
            if index + 1 < WORDS {
                // A shift by 64 gives zero.
                let high = _mm512_sllv_epi64(words[index + 1], count(WORD_BITS - shift));
                *limb = _mm512_or_si512(*limb, high);
            }
            *limb = _mm512_and_si512(*limb, limb_mask());
        }
        store_all(&limbs)
    }

    fn join<const LIMBS, const WORDS>(numbers: &Numbers<LIMBS>) -> [[u64; WORDS]; LANES] {
        let mut words = [_mm512_setzero_si512(); WORDS];
        for (limb, (index, shift)) in load_all(numbers).into_iter().zip(limb_positions()) {
            if index < WORDS {
                let low = _mm512_sllv_epi64(limb, count(shift));
                words[index] = _mm512_or_si512(words[index], low);
            }
            if index + 1 < WORDS {
                let high = _mm512_srlv_epi64(limb, count(WORD_BITS - shift));
                words[index + 1] = _mm512_or_si512(words[index + 1], high);
            }
        }
        let mut lanes = [[0; WORDS]; LANES];
        for (index, word) in words.into_iter().enumerate() {
            for (lane, word) in lanes.iter_mut().zip(store(word)) {
                lane[index] = word;
            }
        }
        lanes
    }

    /// Returns a vector of equal shift counts.
    #[inline]
    fn count(bits: usize) -> Vector {
        _mm512_set1_epi64(i64::try_from(bits).unwrap_or(i64::MAX))
    }
}
