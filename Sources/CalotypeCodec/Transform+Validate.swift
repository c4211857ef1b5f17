import CalotypeCore

extension Transform {
    /// Refuses a box that is no size.
    ///
    /// - Throws: `invalid_request`.
    func validate() throws(CalotypeError) {
        let edges = 1...65_535
        guard mode != .none else { return }
        guard edges.contains(box.width), edges.contains(box.height) else {
            throw CalotypeError(
                .invalidRequest,
                "a box of \(box) is not within 1x1 and 65535x65535",
                stage: .request
            )
        }
    }
}
