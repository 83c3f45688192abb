//! Memory is estimated before it is taken.
//!
//! In: what a step of a fit is about to allocate. Out: an error that lists it, with what is available,
//! if it is more than that. Only what grows with rows, columns, bins and classes is counted.

use std::fs::read_to_string;

use crate::error::{Error, Result};

/// Something that is about to be allocated.
#[derive(Debug, Clone, Copy)]
pub struct Need<'a> {
    /// What it is, as users know it.
    pub what: &'a str,
    /// Its size in bytes.
    pub bytes: u128,
}

impl<'a> Need<'a> {
    /// So many numbers of so many bytes.
    #[must_use]
    pub fn numbers(what: &'a str, counts: &[usize], bytes_each: usize) -> Self {
        // Counts of real data multiply to far less than 2¹²⁸.
        let count = counts.iter().fold(1u128, |product, &n| product.saturating_mul(n as u128));
        Self { what, bytes: count.saturating_mul(bytes_each as u128) }
    }
}

/// Up to so many bytes nobody is asked: small searches are made by the thousand, and reading what the
/// system says of its memory takes longer than they do.
const UNASKED: u128 = 1 << 24;

/// Refuses what does not fit into the memory that is available.
pub fn check(needs: &[Need]) -> Result<()> {
    if total(needs) <= UNASKED {
        return Ok(());
    }
    match available() {
        Some(available) => check_within(needs, available),
        None => Ok(()),
    }
}

fn total(needs: &[Need]) -> u128 {
    needs.iter().fold(0, |sum, need| sum.saturating_add(need.bytes))
}

fn check_within(needs: &[Need], available: u128) -> Result<()> {
    let needed = total(needs);
    if needed <= available {
        return Ok(());
    }
    let mut parts: Vec<&Need> = needs.iter().collect();
    parts.sort_by_key(|need| std::cmp::Reverse(need.bytes));
    let parts: Vec<String> =
        parts.iter().map(|need| format!("{} {}", need.what, size(need.bytes))).collect();
    Err(Error::Memory { needed: size(needed), parts: parts.join(", "), available: size(available) })
}

/// The memory that this process may take, where the system says so (Linux).
fn available() -> Option<u128> {
    let free = free_memory(&read_to_string("/proc/meminfo").ok()?)?;
    let number = |path: &str| read_to_string(path).ok()?.trim().parse::<u128>().ok();
    let limit = number("/sys/fs/cgroup/memory.max");
    let used = number("/sys/fs/cgroup/memory.current");
    Some(match (limit, used) {
        (Some(limit), Some(used)) => free.min(limit.saturating_sub(used)),
        _ => free,
    })
}

/// The bytes that `/proc/meminfo` calls available.
fn free_memory(meminfo: &str) -> Option<u128> {
    let line = meminfo.lines().find_map(|line| line.strip_prefix("MemAvailable:"))?;
    line.trim().strip_suffix("kB")?.trim().parse::<u128>().ok().map(|kilobytes| kilobytes * 1024)
}

/// A size as people read it.
fn size(bytes: u128) -> String {
    let bytes = bytes as f64;
    let (unit, name) = [(1u64 << 40, "TiB"), (1 << 30, "GiB"), (1 << 20, "MiB")]
        .into_iter()
        .find(|(unit, _)| bytes >= *unit as f64)
        .unwrap_or((1 << 10, "KiB"));
    format!("{:.1} {name}", bytes / unit as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_fits_is_allowed_and_what_does_not_is_listed() {
        let needs = [
            Need::numbers("codes of rows", &[1 << 20, 50], 1),
            Need::numbers("scores of classes", &[1 << 20, 1000], 8),
        ];
        assert!(check_within(&needs, 9 << 30).is_ok());
        let message = check_within(&needs, 4 << 30).unwrap_err().to_string();
        assert_eq!(
            message,
            "not enough memory: this fit would take about 7.9 GiB (scores of classes 7.8 GiB, \
             codes of rows 50.0 MiB), and 4.0 GiB are available; fewer rows, columns, classes or \
             bins (max_bins) take less"
        );
    }

    #[test]
    fn counts_that_no_memory_holds_do_not_overflow() {
        let need = Need::numbers("scores of classes", &[usize::MAX, usize::MAX, usize::MAX], 8);
        assert!(check_within(&[need, need], u128::MAX - 1).is_err());
    }

    #[test]
    fn the_system_is_asked() {
        let meminfo = "MemTotal: 100 kB\nMemFree: 10 kB\nMemAvailable:   60 kB\n";
        assert_eq!(free_memory(meminfo), Some(60 * 1024));
        assert_eq!(free_memory("MemTotal: 100 kB\n"), None);
        if cfg!(target_os = "linux") {
            assert!(available().is_some_and(|bytes| bytes > 1 << 20));
        }
    }
}
