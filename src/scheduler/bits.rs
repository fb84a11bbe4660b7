//! Sets of routes or pieces as machine words.

/// A set of numbers below `64 * W`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Bits<const W: usize>(pub [u64; W]);

impl<const W: usize> Bits<W> {
    pub(super) const EMPTY: Self = Self([0; W]);

    #[inline]
    pub(super) fn insert(&mut self, index: usize) {
        self.0[index / 64] |= 1 << (index % 64);
    }

    #[inline]
    pub(super) fn remove(&mut self, index: usize) {
        self.0[index / 64] &= !(1 << (index % 64));
    }

    #[inline]
    pub(super) fn is_empty(&self) -> bool {
        self.0.iter().all(|word| *word == 0)
    }

    #[inline]
    pub(super) fn union(mut self, other: &Self) -> Self {
        for (word, more) in self.0.iter_mut().zip(&other.0) {
            *word |= more;
        }
        self
    }

    #[inline]
    pub(super) fn without(mut self, other: &Self) -> Self {
        for (word, less) in self.0.iter_mut().zip(&other.0) {
            *word &= !less;
        }
        self
    }

    #[inline]
    pub(super) fn common(mut self, other: &Self) -> Self {
        for (word, same) in self.0.iter_mut().zip(&other.0) {
            *word &= same;
        }
        self
    }

    /// The largest member.
    #[inline]
    pub(super) fn last(&self) -> Option<usize> {
        let word = self.0.iter().rposition(|word| *word != 0)?;
        Some(word * 64 + 63 - self.0[word].leading_zeros() as usize)
    }

    /// Calls `each` with every member, ascending.
    #[inline]
    pub(super) fn for_each(&self, mut each: impl FnMut(usize)) {
        for (index, &word) in self.0.iter().enumerate() {
            let mut rest = word;
            while rest != 0 {
                each(index * 64 + rest.trailing_zeros() as usize);
                rest &= rest - 1;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Bits;

    #[test]
    fn members() {
        let mut set = Bits::<2>::EMPTY;
        for index in [3, 64, 127] {
            set.insert(index);
        }
        let mut seen = Vec::new();
        set.for_each(|index| seen.push(index));
        assert_eq!(seen, [3, 64, 127]);
        assert_eq!(set.last(), Some(127));
        set.remove(127);
        assert_eq!(set.last(), Some(64));
        assert!(set.without(&set).is_empty());
    }
}
