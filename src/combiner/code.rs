//! A code matrix, by what is not 0 in it.
//!
//! In: a row of −1, 0 and +1 for every class with a column for every two-class problem, or the number
//! of classes if each pair of them has a problem. Out: for every class the problems that it takes part
//! in. A matrix of all pairs has next to nothing but zeros: with a thousand classes half a milliard
//! entries, of which a million matter.

use std::fmt::Formatter;
use std::sync::Arc;

use serde::de::{Error as _, MapAccess, SeqAccess, Visitor};
use serde::ser::{SerializeMap, SerializeSeq};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Files spell the matrix of all pairs out up to so many classes, as earlier versions expect it.
const SPELT_OUT: usize = 64;

/// A problem that a class takes part in, and its side there: −1 or +1.
pub type Sign = (u32, i8);

/// For every class the problems that it takes part in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Code {
    by_class: Arc<Vec<Vec<Sign>>>,
    n_problems: usize,
    /// Whether it is that of all pairs in their order.
    is_all_pairs: bool,
}

impl Code {
    /// A code matrix by rows; nothing if they differ in length or have other entries.
    #[must_use]
    pub fn new(rows: &[Vec<i8>]) -> Option<Self> {
        let n_problems = rows.first().map_or(0, Vec::len);
        let signs = |row: &Vec<i8>| signs_of(row).filter(|_| row.len() == n_problems);
        let by_class = rows.iter().map(signs).collect::<Option<_>>()?;
        Some(Self::of_signs(by_class, n_problems))
    }

    fn of_signs(by_class: Vec<Vec<Sign>>, n_problems: usize) -> Self {
        let n_classes = by_class.len();
        let is_all_pairs = n_problems == n_classes * n_classes.saturating_sub(1) / 2
            && by_class.iter().all(|signs| signs.len() + 1 == n_classes)
            && by_class == signs_of_pairs(n_classes);
        Self { by_class: Arc::new(by_class), n_problems, is_all_pairs }
    }

    /// A problem for every pair of classes, of which the first is +1: (0, 1), (0, 2), … (1, 2), …
    #[must_use]
    pub fn all_pairs(n_classes: usize) -> Self {
        let n_problems = n_classes * n_classes.saturating_sub(1) / 2;
        Self { by_class: Arc::new(signs_of_pairs(n_classes)), n_problems, is_all_pairs: true }
    }

    /// Whether it is that of all pairs in their order.
    #[must_use]
    pub fn is_all_pairs(&self) -> bool {
        self.is_all_pairs
    }

    /// The number of classes.
    #[must_use]
    pub fn n_classes(&self) -> usize {
        self.by_class.len()
    }

    /// The number of two-class problems.
    #[must_use]
    pub fn n_problems(&self) -> usize {
        self.n_problems
    }

    /// By class the problems that it takes part in, ascending.
    #[must_use]
    pub fn signs(&self) -> &[Vec<Sign>] {
        &self.by_class
    }

    /// The row of a class.
    #[must_use]
    pub fn row(&self, class: usize) -> Vec<i8> {
        let mut row = vec![0; self.n_problems];
        for &(problem, sign) in &self.by_class[class] {
            row[problem as usize] = sign;
        }
        row
    }

    /// By problem the side of every class.
    #[must_use]
    pub fn sides(&self) -> Vec<Vec<i8>> {
        let mut sides = vec![vec![0; self.n_classes()]; self.n_problems];
        for (class, signs) in self.by_class.iter().enumerate() {
            for &(problem, sign) in signs {
                sides[problem as usize][class] = sign;
            }
        }
        sides
    }

    /// The class of +1 and that of −1 in every problem, if there is just one for each pair of
    /// classes; `None` otherwise.
    #[must_use]
    pub fn pairs(&self) -> Option<Vec<(usize, usize)>> {
        let n_classes = self.n_classes();
        if self.n_problems != n_classes * n_classes.saturating_sub(1) / 2 {
            return None;
        }
        let mut found: Vec<[Option<usize>; 2]> = vec![[None; 2]; self.n_problems];
        for (class, signs) in self.by_class.iter().enumerate() {
            for &(problem, sign) in signs {
                let side = &mut found[problem as usize][usize::from(sign < 0)];
                if side.replace(class).is_some() {
                    return None;
                }
            }
        }
        let pairs: Vec<(usize, usize)> = found
            .into_iter()
            .map(|[first, second]| Some((first?, second?)))
            .collect::<Option<_>>()?;
        let mut sorted: Vec<_> = pairs.iter().map(|&(i, j)| (i.min(j), i.max(j))).collect();
        sorted.sort_unstable();
        sorted.dedup();
        (sorted.len() == pairs.len()).then_some(pairs)
    }

    /// The first problem with one side only.
    #[must_use]
    pub fn one_sided(&self) -> Option<usize> {
        let mut has = vec![[false; 2]; self.n_problems];
        for &(problem, sign) in self.by_class.iter().flatten() {
            has[problem as usize][usize::from(sign < 0)] = true;
        }
        has.iter().position(|sides| sides.contains(&false))
    }
}

/// The signs of all pairs of classes in their order.
fn signs_of_pairs(n_classes: usize) -> Vec<Vec<Sign>> {
    let mut by_class: Vec<Vec<Sign>> =
        (0..n_classes).map(|_| Vec::with_capacity(n_classes.saturating_sub(1))).collect();
    let mut problem = 0;
    for first in 0..n_classes {
        for second in first + 1..n_classes {
            by_class[first].push((problem, 1));
            by_class[second].push((problem, -1));
            problem += 1;
        }
    }
    by_class
}

/// What is not 0 in a row; nothing if an entry is none.
fn signs_of(row: &[i8]) -> Option<Vec<Sign>> {
    let is_sound = row.iter().all(|entry| (-1..=1).contains(entry));
    let signs = || (0..).zip(row.iter().copied()).filter(|(_, sign)| *sign != 0);
    is_sound.then(|| signs().collect())
}

impl Serialize for Code {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if self.n_classes() > SPELT_OUT && self.is_all_pairs {
            let mut map = serializer.serialize_map(Some(1))?;
            map.serialize_entry("all_pairs", &self.n_classes())?;
            return map.end();
        }
        let mut rows = serializer.serialize_seq(Some(self.n_classes()))?;
        for class in 0..self.n_classes() {
            rows.serialize_element(&self.row(class))?;
        }
        rows.end()
    }
}

/// More classes than any model has; what a file says is not believed before memory is taken.
const MOST_CLASSES: usize = 1 << 14;

const EXPECTED: &str = "rows of equal length with entries of -1, 0 or +1";

impl<'de> Deserialize<'de> for Code {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Reader)
    }
}

/// Reads a code row by row.
struct Reader;

impl<'de> Visitor<'de> for Reader {
    type Value = Code;

    fn expecting(&self, formatter: &mut Formatter) -> std::fmt::Result {
        formatter.write_str(EXPECTED)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut rows: A) -> Result<Code, A::Error> {
        let (mut by_class, mut n_problems) = (Vec::new(), None);
        while let Some(row) = rows.next_element::<Vec<i8>>()? {
            let signs =
                signs_of(&row).filter(|_| *n_problems.get_or_insert(row.len()) == row.len());
            by_class.push(signs.ok_or_else(|| A::Error::custom(format!("expected {EXPECTED}")))?);
        }
        Ok(Code::of_signs(by_class, n_problems.unwrap_or(0)))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Code, A::Error> {
        match map.next_entry::<String, usize>()? {
            Some((key, n_classes)) if key == "all_pairs" && n_classes <= MOST_CLASSES => {
                Ok(Code::all_pairs(n_classes))
            }
            _ => {
                let expected = format!("expected all_pairs of at most {MOST_CLASSES} classes");
                Err(A::Error::custom(expected))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_are_known_whatever_their_order_and_signs() {
        let pairs = |rows: &[Vec<i8>]| Code::new(rows).and_then(|code| code.pairs());
        let one_vs_one = [vec![0, 1, 1], vec![-1, 0, -1], vec![1, -1, 0]];
        assert_eq!(pairs(&one_vs_one), Some(vec![(2, 1), (0, 2), (0, 1)]));
        assert_eq!(pairs(&[vec![1, 1, 1], vec![-1, 0, -1], vec![0, -1, 0]]), None);
        assert_eq!(pairs(&[vec![1, 1, -1], vec![-1, 1, 1], vec![1, -1, 1]]), None);
    }

    #[test]
    fn all_pairs_are_the_matrix_that_they_stand_for() {
        for n_classes in 2..9 {
            let code = Code::all_pairs(n_classes);
            let rows: Vec<Vec<i8>> = (0..n_classes).map(|class| code.row(class)).collect();
            assert_eq!(Code::new(&rows), Some(code.clone()));
            assert!(code.is_all_pairs() && code.one_sided().is_none());
            assert_eq!(code.pairs().map(|pairs| pairs.len()), Some(code.n_problems()));
            assert_eq!(code.sides().len(), code.n_problems());
        }
        let turned = [vec![-1, 1, 0], vec![1, 0, 1], vec![0, -1, -1]];
        assert_eq!(Code::new(&turned).map(|code| code.is_all_pairs()), Some(false));
    }

    #[test]
    fn files_spell_out_few_classes_and_count_many() {
        let code = Code::all_pairs(3);
        assert_eq!(serde_json::to_string(&code).unwrap(), "[[1,1,0],[-1,0,1],[0,-1,-1]]");
        let many = Code::all_pairs(65);
        let json = serde_json::to_string(&many).unwrap();
        assert_eq!(json, "{\"all_pairs\":65}");
        assert_eq!(serde_json::from_str::<Code>(&json).unwrap(), many);
        for wrong in ["[[1,2],[-1,0]]", "[[1],[-1,0]]", "{\"all_pairs\":100000}", "{\"pairs\":3}"] {
            assert!(serde_json::from_str::<Code>(wrong).is_err(), "{wrong}");
        }
    }
}
