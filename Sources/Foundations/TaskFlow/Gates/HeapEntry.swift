/// What a priority heap keeps: something with an identity and a rank.
protocol HeapEntry {
    /// Names the entry; at most one entry of a heap has it.
    var id: UInt64 { get }

    /// Whether this entry comes out of the heap before the other. A strict order of all entries.
    func precedes(_ other: Self) -> Bool
}
