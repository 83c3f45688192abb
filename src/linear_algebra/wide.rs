//! The same work with wider instructions, where the processor has them.
//!
//! In: a kernel. Out: what it returns, to the same bit on every processor: the wide version does the
//! same sums and products in the same order. Fused multiply-add would round differently and is never
//! used.

/// Work that is compiled once for every processor, and once more for those with wide instructions.
pub(crate) trait Kernel {
    /// What the work returns.
    type Output;

    /// Does the work. Must be `#[inline(always)]`, as must all that it calls: only then is it compiled
    /// for the instructions of its caller.
    fn run(self) -> Self::Output;
}

/// Runs a kernel with the widest instructions that it is compiled for and the processor has.
pub(crate) fn run_wide<K: Kernel>(kernel: K) -> K::Output {
    #[cfg(target_arch = "x86_64")]
    if std::arch::is_x86_feature_detected!("avx2") {
        // SAFETY: the processor has these instructions.
        return unsafe { run_avx2(kernel) };
    }
    kernel.run()
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn run_avx2<K: Kernel>(kernel: K) -> K::Output {
    kernel.run()
}
