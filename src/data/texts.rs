//! Millions of different strings in one piece of memory, found by hash.
//!
//! In: texts. Out: an id for each different one, in order of arrival. One allocation holds them all,
//! so that millions of categories cost no more to drop than one.

use std::hash::BuildHasher;

use hashbrown::{DefaultHashBuilder, HashTable};

/// A set of strings with ids 0, 1, 2, …
#[derive(Debug, Clone, Default)]
pub struct Texts {
    bytes: String,
    ends: Vec<usize>,
    index: HashTable<u32>,
    hasher: DefaultHashBuilder,
}

impl PartialEq for Texts {
    fn eq(&self, other: &Self) -> bool {
        self.bytes == other.bytes && self.ends == other.ends
    }
}

fn text<'a>(bytes: &'a str, ends: &[usize], id: u32) -> &'a str {
    let id = id as usize;
    &bytes[id.checked_sub(1).map_or(0, |before| ends[before])..ends[id]]
}

impl Texts {
    /// The number of different texts.
    #[must_use]
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// The text of an id that was given out.
    #[must_use]
    pub fn text(&self, id: u32) -> &str {
        text(&self.bytes, &self.ends, id)
    }

    /// The id of a text, if it is here.
    #[must_use]
    pub fn find(&self, wanted: &str) -> Option<u32> {
        let hash = self.hasher.hash_one(wanted);
        self.index.find(hash, |&id| self.text(id) == wanted).copied()
    }

    /// The id of a text, which is taken in if it is new.
    pub fn insert(&mut self, new: &str) -> u32 {
        let Self { bytes, ends, index, hasher } = self;
        let hash = hasher.hash_one(new);
        let rehash = |&id: &u32| hasher.hash_one(text(bytes, ends, id));
        let id = match index.entry(hash, |&id| text(bytes, ends, id) == new, rehash) {
            hashbrown::hash_table::Entry::Occupied(entry) => return *entry.get(),
            hashbrown::hash_table::Entry::Vacant(entry) => {
                let id = ends.len() as u32;
                entry.insert(id);
                id
            }
        };
        bytes.push_str(new);
        ends.push(bytes.len());
        id
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn ids_are_those_of_a_plain_list(texts in prop::collection::vec(".{0,3}", 0..200)) {
            let mut naive: Vec<&String> = Vec::new();
            let mut pool = Texts::default();
            for text in &texts {
                let known = naive.iter().position(|t| *t == text);
                prop_assert_eq!(pool.find(text), known.map(|id| id as u32));
                let id = known.unwrap_or_else(|| { naive.push(text); naive.len() - 1 });
                prop_assert_eq!(pool.insert(text), id as u32);
            }
            prop_assert_eq!(pool.len(), naive.len());
            for (id, text) in naive.iter().enumerate() {
                prop_assert_eq!(pool.text(id as u32), text.as_str());
            }
        }
    }
}
