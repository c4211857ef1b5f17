/// What asking for a source came to.
indirect enum SourceAnswer: Sendable {
    /// The source, complete on this machine.
    case source(LoadedSource)
    /// The version that the caller has is still the current one.
    case unchanged(SourceReceipt)
}
