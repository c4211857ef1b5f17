/// What a codec decodes and encodes in worker processes, so that a decoder that crashes or hangs takes nothing with it.
///
/// A worker that crashes, or is stopped because its time is up or nobody wants its picture any more, is replaced; only
/// its own picture fails.
public enum DecoderIsolation: String, CaseIterable, Hashable, Sendable {
    /// Everything is done in the program's own process.
    case none
    /// What libvips decodes or encodes is done in worker processes; the fast path stays in the program's own.
    case slow
    /// Everything that touches pixels is done in worker processes.
    case all
}
