//! Joint codes: one code for several columns of few codes.
//!
//! In: codes by column and which of them share a code. Out: 16-bit codes, column after column. One
//! addition to a table of joint codes stands for one to the table of each column, whose sums are the
//! marginal sums of the joint table. Only learners that add up all rows keep them.

use super::binned::Binned;
use super::column_order::ColumnOrder;
use crate::error::Result;
use crate::workers::{BLOCK_ROWS, Workers};

/// The codes by joint code, each with one for every row.
#[derive(Debug, Clone)]
pub struct JointCodes {
    codes: Vec<Vec<u16>>,
}

impl JointCodes {
    /// The first column counts in ones, the next in steps of the number of its codes, and so on.
    pub(super) fn new(data: &Binned, order: &ColumnOrder, workers: &Workers) -> Result<Self> {
        let columns = order.joint_members().enumerate();
        let joints: Vec<(&[usize], &[usize])> =
            columns.map(|(joint, columns)| (columns, order.n_used(joint))).collect();
        let mut codes = vec![vec![0u16; data.n_rows()]; joints.len()];
        let blocks: Vec<_> = codes
            .iter_mut()
            .zip(&joints)
            .flat_map(|(codes, joint)| {
                codes.chunks_mut(BLOCK_ROWS).enumerate().map(move |block| (joint, block))
            })
            .collect();
        let steps = data.n_rows() * joints.iter().map(|(columns, _)| columns.len()).sum::<usize>();
        workers.map(steps, blocks, |((columns, n_used), (block, to))| {
            let mut step = 1;
            for (&column, &n_used) in columns.iter().zip(*n_used) {
                let codes = &data.codes(column).narrow()[block * BLOCK_ROWS..];
                for (to, &code) in to.iter_mut().zip(codes) {
                    *to += u16::from(code) * step;
                }
                step *= n_used as u16;
            }
            Ok(())
        })?;
        Ok(Self { codes })
    }

    /// One of the joint codes, row by row.
    #[must_use]
    pub fn codes(&self, joint: usize) -> &[u16] {
        &self.codes[joint]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{Bins, NumberBins};

    #[test]
    fn columns_can_be_told_from_their_joint_code() {
        let (few, some) = (bins(3), bins(13));
        let bins = [&few, &some, &some, &few];
        let n_rows = 2 * BLOCK_ROWS + 5;
        let code =
            |column: usize, row: usize| (row * (3 + column) + row / 7) % (4 + 8 * (column % 2));
        let data = Binned::block(&bins, n_rows, &[true; 4], |column, codes| {
            for (row, to) in codes.iter_mut().enumerate() {
                *to = code(column, row).min(bins[column].missing()) as u16;
            }
        });
        let workers = Workers::new(Some(2)).unwrap();
        let (order, joint) = (data.column_order(), data.joint_codes(&workers).unwrap());
        assert_eq!(order.n_joints(), 1);
        for row in 0..n_rows {
            let mut rest = usize::from(joint.codes(0)[row]);
            for (&column, &n_used) in order.columns().iter().zip(order.n_used(0)) {
                assert_eq!(rest % n_used, usize::from(data.codes(column).narrow()[row]));
                rest /= n_used;
            }
            assert_eq!(rest, 0);
        }
    }

    fn bins(n_cuts: u32) -> Bins {
        Bins::Numbers(NumberBins { cuts: (0..n_cuts).map(f64::from).collect() })
    }
}
