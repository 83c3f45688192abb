//! In which order the sums of columns stand, and which columns are added up together.
//!
//! In: codes by column. Out: an order of the columns, and groups of neighbours in it. Columns of few
//! codes come first, those that share a joint code beside each other; without such columns the order
//! is that of the frame. A plain group is up to four byte-wide columns or a single wide one.

use std::ops::Range;

use super::binned::{Binned, Codes};

/// Byte-wide columns that are read together.
pub const GROUP: usize = 4;

/// Joint codes that are read together.
pub const JOINT_GROUP: usize = 2;

/// The values of a joint code: as many as have sums of 8 bytes for a group of joint codes in the
/// first-level cache.
pub const JOINT_CODES: usize = 1 << 11;

/// The most codes of a column that shares a joint code.
const MOST_CODES: usize = 1 << 6;

/// Neighbours in the order of columns.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ColumnGroup {
    /// Their places in the order.
    pub places: Range<usize>,
    /// The numbers of the joint codes that they share, if they do.
    pub joints: Range<usize>,
}

/// An order of the columns.
#[derive(Debug, Clone)]
pub struct ColumnOrder {
    columns: Vec<usize>,
    plain: Vec<ColumnGroup>,
    with_joints: Vec<ColumnGroup>,
    /// By joint code, how many codes each of its columns uses.
    n_used: Vec<Vec<usize>>,
}

impl ColumnOrder {
    pub(super) fn new(data: &Binned) -> Self {
        Self::of_used(data, &used_codes(data))
    }

    /// The order if columns use so many codes, or more than they have here.
    pub(super) fn of_used(data: &Binned, used: &[usize]) -> Self {
        let joints = share_codes(data, used);
        let mut columns: Vec<usize> = joints.iter().flatten().map(|&(column, _)| column).collect();
        let n_joined = columns.len();
        let mut is_joined = vec![false; data.n_columns()];
        for &column in &columns {
            is_joined[column] = true;
        }
        columns.extend((0..data.n_columns()).filter(|&column| !is_joined[column]));
        let mut with_joints: Vec<ColumnGroup> = Vec::new();
        for (number, members) in joints.iter().enumerate() {
            let start = with_joints.last().map_or(0, |group| group.places.end);
            match with_joints.last_mut() {
                Some(group) if group.joints.len() < JOINT_GROUP => {
                    (group.joints.end, group.places.end) = (number + 1, start + members.len());
                }
                _ => with_joints.push(ColumnGroup {
                    places: start..start + members.len(),
                    joints: number..number + 1,
                }),
            }
        }
        with_joints.extend(plain_groups(data, &columns, n_joined));
        Self {
            plain: plain_groups(data, &columns, 0),
            with_joints,
            n_used: joints.iter().map(|joint| joint.iter().map(|&(_, n)| n).collect()).collect(),
            columns,
        }
    }

    /// All columns in their order.
    #[must_use]
    pub fn columns(&self) -> &[usize] {
        &self.columns
    }

    /// All groups; columns that share a joint code make one if `with_joints`.
    #[must_use]
    pub fn groups(&self, with_joints: bool) -> &[ColumnGroup] {
        if with_joints { &self.with_joints } else { &self.plain }
    }

    /// The columns of each joint code.
    pub fn joint_members(&self) -> impl Iterator<Item = &[usize]> {
        let mut start = 0;
        self.n_used.iter().map(move |n_used| {
            let columns = &self.columns[start..start + n_used.len()];
            start += n_used.len();
            columns
        })
    }

    /// The columns of a group.
    #[must_use]
    pub fn members(&self, group: &ColumnGroup) -> &[usize] {
        &self.columns[group.places.clone()]
    }

    /// The number of joint codes.
    #[must_use]
    pub fn n_joints(&self) -> usize {
        self.n_used.len()
    }

    /// How many codes each column of a joint code uses.
    #[must_use]
    pub fn n_used(&self, joint: usize) -> &[usize] {
        &self.n_used[joint]
    }
}

/// Up to four byte-wide columns each, or a single wide one, from a place on.
fn plain_groups(data: &Binned, columns: &[usize], first: usize) -> Vec<ColumnGroup> {
    let is_narrow = |place: usize| matches!(data.codes(columns[place]), Codes::Narrow(_));
    let mut groups: Vec<ColumnGroup> = Vec::new();
    for place in first..columns.len() {
        match groups.last_mut().map(|group| &mut group.places) {
            Some(places) if places.len() < GROUP && is_narrow(places.start) && is_narrow(place) => {
                places.end += 1;
            }
            _ => groups.push(ColumnGroup { places: place..place + 1, joints: 0..0 }),
        }
    }
    groups
}

/// Columns that share a joint code, with the number of codes that each uses: the column with the most
/// goes to the first joint code that has room for it. Codes that no row has, such as that of missing
/// values, take no room.
fn share_codes(data: &Binned, used: &[usize]) -> Vec<Vec<(usize, usize)>> {
    let mut narrow: Vec<(usize, usize)> = (0..data.n_columns())
        .filter(|&column| data.n_codes(column) <= MOST_CODES + 1)
        .map(|column| (column, used[column]))
        .filter(|&(_, n_used)| (1..=MOST_CODES).contains(&n_used))
        .collect();
    narrow.sort_by_key(|&(column, n_used)| (std::cmp::Reverse(n_used), column));
    let mut joints: Vec<(usize, Vec<(usize, usize)>)> = Vec::new();
    for (column, n_used) in narrow {
        match joints.iter_mut().find(|(n_codes, _)| n_codes * n_used <= JOINT_CODES) {
            Some((n_codes, members)) => {
                *n_codes *= n_used;
                members.push((column, n_used));
            }
            None => joints.push((n_used, vec![(column, n_used)])),
        }
    }
    let members = joints.into_iter().map(|(_, members)| members);
    members.filter(|members| members.len() > 1).collect()
}

/// By column how many codes are used, where these are few.
pub(super) fn used_codes(data: &Binned) -> Vec<usize> {
    if !data.keeps_copies() {
        return vec![MOST_CODES + 1; data.n_columns()]; // too many for a joint code
    }
    let used = |column: usize| match data.n_codes(column) {
        n_codes if n_codes <= MOST_CODES + 1 => n_used(data.codes(column).narrow()),
        n_codes => n_codes,
    };
    (0..data.n_columns()).map(used).collect()
}

/// One more than the largest code.
fn n_used(codes: &[u8]) -> usize {
    let largest = codes.iter().fold(0, |largest, &code| largest.max(code));
    usize::from(largest) + usize::from(!codes.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{Bins, NumberBins};

    /// Columns that use so many codes each, of one more that stands for missing values.
    fn data(n_used: &[usize]) -> Binned {
        let bins: Vec<Bins> = n_used
            .iter()
            .map(|&n| Bins::Numbers(NumberBins { cuts: (1..n).map(|cut| cut as f64).collect() }))
            .collect();
        let bins: Vec<&Bins> = bins.iter().collect();
        Binned::block(&bins, 1_000, &vec![true; n_used.len()], |column, codes| {
            for (row, code) in codes.iter_mut().enumerate() {
                *code = (row % n_used[column]) as u16;
            }
        })
    }

    #[test]
    fn columns_of_few_codes_share_joint_codes_and_come_first() {
        let data = data(&[300, 4, 64, 200, 2, 32, 3, 60, 254, 31]);
        let order = ColumnOrder::new(&data);
        assert_eq!(order.columns(), [2, 5, 7, 9, 1, 6, 4, 0, 3, 8]);
        let joints: Vec<&[usize]> = order.joint_members().collect();
        assert_eq!(joints, [&[2, 5][..], &[7, 9], &[1, 6, 4]]);
        assert_eq!(
            [0, 1, 2].map(|joint| order.n_used(joint)),
            [&[64, 32][..], &[60, 31], &[4, 3, 2]]
        );
        let group = |places, joints| ColumnGroup { places, joints };
        let expected =
            [group(0..4, 0..2), group(4..7, 2..3), group(7..8, 0..0), group(8..10, 0..0)];
        assert_eq!(order.groups(true), expected);
        let expected = [0..4, 4..7, 7..8, 8..10].map(|places| group(places, 0..0));
        assert_eq!(order.groups(false), expected);
    }

    #[test]
    fn without_columns_of_few_codes_the_order_is_that_of_the_frame() {
        let data = data(&[100, 2, 254, 80, 70]);
        let order = ColumnOrder::new(&data);
        assert_eq!(order.columns(), [0, 1, 2, 3, 4]);
        assert_eq!((order.n_joints(), order.groups(true)), (0, order.groups(false)));
    }

    #[test]
    fn no_joint_code_has_more_values_than_there_is_room_for() {
        let n_used: Vec<usize> = (0..60).map(|column| 1 + column * 7 % 13).collect();
        let data = data(&n_used);
        let order = ColumnOrder::new(&data);
        let mut seen = order.columns().to_vec();
        seen.sort_unstable();
        assert!(seen.into_iter().eq(0..60));
        for joint in 0..order.n_joints() {
            assert!(order.n_used(joint).iter().product::<usize>() <= JOINT_CODES);
        }
    }
}
