package import CalotypeCore

extension HTTPLimits {
    /// Throws `too_many_bytes` where a successful answer announces more than may come.
    package func check(announced length: Int?, status: Int) throws(CalotypeError) {
        guard let length, length > bodyBytes.bytes, (200..<300).contains(status) else { return }
        throw tooManyBytes("is \(ByteCount(length))")
    }

    /// Throws `too_many_bytes` where more has come than may.
    package func check(received count: Int) throws(CalotypeError) {
        guard count > bodyBytes.bytes else { return }
        throw tooManyBytes("goes on")
    }

    private func tooManyBytes(_ length: String) -> CalotypeError {
        CalotypeError(
            .tooManyBytes,
            "the body \(length), more than the limit of \(bodyBytes)",
            stage: .body
        )
    }
}
