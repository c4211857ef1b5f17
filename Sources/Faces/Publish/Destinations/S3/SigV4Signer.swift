internal import CalotypeCore
internal import CalotypeDigests
internal import CalotypeHTTP
internal import FoundationEssentials

/// Signs requests for AWS and compatible servers (Signature Version 4).
struct SigV4Signer: Sendable {
    private static let algorithm = "AWS4-HMAC-SHA256"

    let credentials: S3Credentials
    let region: String
    var service = "s3"

    /// Returns the headers that sign `request` at `moment`.
    ///
    /// They are `x-amz-date`, the session's token if there is one, and `Authorization`.
    func headers(for request: SigV4Request, at moment: WallTime) throws(CalotypeError) -> [HeaderField] {
        let date = SigV4Date(moment)
        var fields = [HeaderField("x-amz-date", date.text)]
        if let token = credentials.sessionToken {
            fields.append(HeaderField("x-amz-security-token", token.text))
        }
        var request = request
        request.headers += fields
        let parts = [
            "Credential=\(credentials.accessKey)/\(scope(date))", "SignedHeaders=\(request.signedHeaders)",
            "Signature=\(try signature(of: request, date))",
        ]
        let value = "\(Self.algorithm) \(parts.joined(separator: ", "))"
        return fields + [HeaderField("Authorization", value)]
    }

    /// Returns the query that signs `request`, including the query that the request already has.
    ///
    /// The signature is valid for `expires` from `moment` on. The request's headers are signed too, and must
    /// be sent with it; the body is not covered.
    func query(
        for request: SigV4Request,
        at moment: WallTime,
        expires: Duration
    ) throws(CalotypeError) -> String {
        let date = SigV4Date(moment)
        var request = request
        request.payload = .unsigned
        request.query += [
            .init("X-Amz-Algorithm", Self.algorithm),
            .init("X-Amz-Credential", "\(credentials.accessKey)/\(scope(date))"),
            .init("X-Amz-Date", date.text), .init("X-Amz-Expires", "\(expires.components.seconds)"),
            .init("X-Amz-SignedHeaders", request.signedHeaders),
        ]
        if let token = credentials.sessionToken {
            request.query.append(.init("X-Amz-Security-Token", token.text))
        }
        return "\(request.canonicalQuery)&X-Amz-Signature=\(try signature(of: request, date))"
    }

    /// Returns the text that the signing key signs.
    func stringToSign(_ request: SigV4Request, _ date: SigV4Date) throws(CalotypeError) -> String {
        let digest = try Self.digesting { () throws(DigestError) in
            try Digest(.sha256, of: request.canonicalRequest)
        }
        return [Self.algorithm, date.text, scope(date), digest.hexadecimal].joined(separator: "\n")
    }

    func signature(of request: SigV4Request, _ date: SigV4Date) throws(CalotypeError) -> String {
        let text = try stringToSign(request, date)
        return try Self.digesting { () throws(DigestError) in
            var key = Array("AWS4\(credentials.secretKey.text)".utf8)
            for part in [date.day, region, service, "aws4_request", text] {
                key = try HMACStream.digest(.sha256, of: Array(part.utf8), key: key).bytes
            }
            return Digest(bytes: key).hexadecimal
        }
    }

    private func scope(_ date: SigV4Date) -> String {
        "\(date.day)/\(region)/\(service)/aws4_request"
    }

    private static func digesting<Output>(
        _ body: () throws(DigestError) -> Output
    ) throws(CalotypeError) -> Output {
        do {
            return try body()
        } catch {
            throw CalotypeError(
                .invalidRequest,
                "the request cannot be signed: \(error)",
                stage: .request,
                cause: error
            )
        }
    }
}

/// A time as signatures contain it.
struct SigV4Date: Hashable, Sendable {
    /// The date and time, such as `20130524T000000Z`.
    let text: String

    init(_ moment: WallTime) {
        let style = Date.ISO8601FormatStyle(dateSeparator: .omitted, timeSeparator: .omitted)
        text = style.format(Date(timeIntervalSince1970: Double(moment.secondsSince1970)))
    }

    /// The date alone, such as `20130524`.
    var day: String { String(text.prefix(8)) }
}
