/// A part of the memory that a plane is scaled in.
enum ScalerRegion: Int, CaseIterable {
    /// Two source rows as they come.
    case staged
    /// The pairs of source rows that are held.
    case pairs
    /// Sums that have begun with pairs that are no longer held.
    case sums
    /// A group of rows filtered from top to bottom.
    case lines
    /// The same with the group's samples of one place beside each other.
    case columns
    /// A group of output rows.
    case levels
}
