//! Groups of things that belong together, kept as a forest of links to the least of each.

/// Which of a number of things belong to the same group (disjoint sets). Of each group the least
/// thing stands for all.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Forest {
    above: Vec<u32>,
}

impl Forest {
    /// Every thing below `count` in a group of its own.
    #[must_use]
    pub fn new(count: usize) -> Self {
        Self { above: (0..count as u32).collect() }
    }

    /// The least thing in the group of `item`.
    ///
    /// # Panics
    /// Where there is no such thing.
    #[must_use]
    pub fn root(&self, item: usize) -> usize {
        let mut at = item as u32;
        while self.above[at as usize] != at {
            at = self.above[at as usize];
        }
        at as usize
    }

    /// Makes one group of the groups of `a` and `b`.
    ///
    /// # Panics
    /// Where one of them does not exist.
    pub fn join(&mut self, a: usize, b: usize) {
        let (a, b) = (self.root(a), self.root(b));
        self.above[a.max(b)] = a.min(b) as u32;
    }

    /// Whether `a` and `b` are in one group.
    ///
    /// # Panics
    /// Where one of them does not exist.
    #[must_use]
    pub fn same(&self, a: usize, b: usize) -> bool {
        self.root(a) == self.root(b)
    }

    /// The roots of all things, in their order.
    pub fn roots(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.above.len()).map(|item| self.root(item))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_least_stands_for_its_group() {
        let mut forest = Forest::new(6);
        for (a, b) in [(4, 2), (5, 4), (1, 3)] {
            forest.join(a, b);
        }
        assert_eq!(forest.roots().collect::<Vec<_>>(), [0, 1, 2, 1, 2, 2]);
        assert!(forest.same(5, 2) && !forest.same(0, 5));
    }
}
