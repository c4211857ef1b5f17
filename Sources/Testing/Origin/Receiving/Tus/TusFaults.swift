/// What goes wrong with one upload, decided when it begins.
struct TusFaults: Sendable {
    /// The status that it has after its first piece.
    var goneStatus: Int?
    /// Whether more is said to be there than fits.
    var isBeyond = false
    /// How many times bytes are lost, twice: first a body is cut, then the next writer finds less than there was.
    var rewindSteps = 0

    init(_ call: Call) {
        if call.suffers(.expired) { goneStatus = 410 }
        if call.suffers(.gone) { goneStatus = 404 }
        isBeyond = call.suffers(.beyond)
        let rewind = call.wish.faults.first { $0.kind == .rewind }
        rewindSteps = 2 * (rewind?.count ?? 0)
    }

    /// What is told as the offset where `offset` would be right.
    func told(_ offset: Int, of length: Int) -> Int {
        isBeyond ? length + 1000 : offset
    }
}
