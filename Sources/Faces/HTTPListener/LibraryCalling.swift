/// A call of the library for an answer, or with a piece of a body.
package protocol LibraryCalling {
    /// The piece of the body; empty if the call is for the answer.
    var piece: UnsafeRawBufferPointer { get }

    /// Reads and checks the head of the request.
    ///
    /// - Parameters:
    ///   - target: The target and where it began.
    ///   - rules: What a head has to be.
    /// - Returns: The head.
    /// - Throws: Why it is refused.
    func head(_ target: RawTarget, _ rules: HeadRules) throws(HeadRules.Refusal) -> RequestHead

    /// Gives the answer to the library; false if there is no memory for it.
    func send(_ answer: Answer, of exchange: Exchange) -> Bool
}
