//! A tree as nodes to walk through, row by row: the quick way for trees of many leaves.
//!
//! In: the splits of a tree. Out: the leaf of a row. A list of splits costs a pass over the rows for
//! each of them; a walk costs a step for each level of the tree.

use std::ops::Range;

use super::{CodeSet, Split};
use crate::data::{Binned, Code, Codes};

/// The number of a table that is none.
const NO_TABLE: u32 = u32::MAX;

/// A test and what follows.
#[derive(Debug, Clone, Copy)]
struct Node {
    column: u32,
    /// The table of the codes inside; without one they are those up to `last`, and `also`.
    table: u32,
    last: u16,
    also: u16,
    /// What follows outside and inside: another node, or leaf k as −1 − k.
    next: [i32; 2],
}

/// The nodes of a tree, the root first.
#[derive(Debug, Clone, Default)]
pub struct Walk {
    nodes: Vec<Node>,
    tables: Vec<Vec<bool>>,
}

impl Walk {
    /// From splits in the order in which they were made; `n_codes` tells the codes of a column.
    #[must_use]
    pub fn new(splits: &[Split], n_codes: impl Fn(usize) -> usize) -> Self {
        let mut walk = Self { nodes: Vec::with_capacity(splits.len()), tables: Vec::new() };
        // By leaf: the node and the side that lead to it.
        let mut leads: Vec<Option<(usize, usize)>> = vec![None];
        for (at, split) in splits.iter().enumerate() {
            let (cut, new) = (usize::from(split.leaf), at + 1);
            if let Some((node, side)) = leads[cut] {
                walk.nodes[node].next[side] = at as i32;
            }
            leads[cut] = Some((at, 1));
            leads.push(Some((at, 0)));
            let column = split.test.column;
            let mut node = Node {
                column: column as u32,
                table: NO_TABLE,
                last: 0,
                also: 0,
                next: [-1 - new as i32, -1 - cut as i32],
            };
            match split.test.inside(n_codes(column)) {
                CodeSet::Span { first: 0, last, also, inverted: false } => {
                    (node.last, node.also) = (last, also);
                }
                set => {
                    node.table = walk.tables.len() as u32;
                    let codes = 0..n_codes(column) as u16;
                    walk.tables.push(codes.map(|code| set.has(code)).collect());
                }
            }
            walk.nodes.push(node);
        }
        walk
    }

    /// The leaf of a row, given its codes by column.
    #[inline]
    pub fn leaf(&self, code: impl Fn(usize) -> u16) -> usize {
        if self.nodes.is_empty() {
            return 0;
        }
        let mut next = 0i32;
        while next >= 0 {
            let node = &self.nodes[next as usize];
            let code = code(node.column as usize);
            let is_inside = if node.table == NO_TABLE {
                code <= node.last || code == node.also
            } else {
                self.tables[node.table as usize][usize::from(code)]
            };
            next = node.next[usize::from(is_inside)];
        }
        (-1 - next) as usize
    }

    /// The leaves of consecutive rows.
    pub fn find_leaves<L: Code>(&self, data: &Binned, rows: Range<usize>, leaves: &mut [L]) {
        for (row, leaf) in rows.zip(leaves) {
            *leaf = L::from_u16(self.leaf(|column| code_of(data, column, row)) as u16);
        }
    }
}

/// The code of a row in a column.
#[inline]
#[must_use]
pub fn code_of(data: &Binned, column: usize, row: usize) -> u16 {
    match data.codes(column) {
        Codes::Narrow(codes) => u16::from(codes[row]),
        Codes::Wide(codes) => codes[row],
    }
}
