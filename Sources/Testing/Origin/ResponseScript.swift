/// What is done on a connection in answer to a request: the decision, which a connection carries out.
struct ResponseScript: Sendable {
    /// One thing done on the connection.
    enum Step: Sendable {
        case send([UInt8])
        /// Sends what was received, piece by piece.
        case contents(KeptFile)
        /// Sends evenly at a rate.
        case trickle([UInt8], bytesPerSecond: Int)
        /// Sends the same again and again until the client hangs up.
        case repeated([UInt8], pause: Duration)
        case pause(Duration)
        /// Nothing, until the client hangs up.
        case silence
    }

    /// What becomes of the connection.
    enum Ending: Sendable {
        case keep, close
        /// Closed with RST instead of FIN.
        case reset
    }

    /// The status that is counted; `nil` where no head is complete.
    var status: Int?
    var steps: [Step]
    var ending = Ending.keep
}
