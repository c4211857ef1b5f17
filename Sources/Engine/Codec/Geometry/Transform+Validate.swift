import CalotypeCore

extension Transform {
    /// Refuses what no picture can be made by.
    ///
    /// - Throws: `invalid_request`.
    func validate() throws(CalotypeError) {
        if let fault {
            throw CalotypeError(.invalidRequest, "the request asks for \(fault)", stage: .request)
        }
    }
}
