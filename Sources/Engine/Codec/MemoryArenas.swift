import CalotypeCVipsShim

/// The heaps that the C library keeps for threads.
public enum MemoryArenas: Sendable {
    /// Lets the process use at most two heaps instead of eight for each core, before it starts its threads.
    ///
    /// Decoders allocate much on many threads; with two heaps the process needs a third less memory at the same speed.
    /// A program calls it first thing in its main function; a library leaves the choice to it.
    public static func limit() {
        _ = cvips_limit_arenas(2)
    }
}
