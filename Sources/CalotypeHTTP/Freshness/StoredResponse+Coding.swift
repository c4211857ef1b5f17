extension StoredResponse {
    /// The first byte of every encoding; another one is of another version.
    private static let version: UInt8 = 1
    /// The most bytes that are read.
    private static let longest = 8192

    /// A compact form of at most 8 KiB, typically 60 to 200 bytes.
    package var encoded: [UInt8] {
        var writer = CompactWriter(Self.version)
        writer.put(status)
        writer.put(requestTime.secondsSince1970)
        writer.put(responseTime.secondsSince1970)
        writer.put(date.secondsSince1970)
        writer.put(age.wholeSeconds)
        writer.put(lastModified?.secondsSince1970)
        writer.put(expiry)
        writer.put(cacheControl)
        writer.put(validators)
        writer.put(variant)
        return writer.bytes
    }

    /// Reads what ``encoded`` made; `nil` for all else.
    package init?(encoded: [UInt8]) {
        guard encoded.count <= Self.longest, encoded.first == Self.version else { return nil }
        var reader = CompactReader(encoded.dropFirst())
        guard let response = Self.read(&reader), reader.isAtEnd else { return nil }
        self = response
    }

    private static func read(_ reader: inout CompactReader) -> StoredResponse? {
        guard let status = reader.int(), (100...999).contains(status), let requestTime = reader.moment(),
            let responseTime = reader.moment(), let date = reader.moment(), let age = reader.duration(),
            let lastModified = reader.optional({ $0.moment() }), let expiry = reader.expiry(),
            let cacheControl = reader.cacheControl(), let validators = reader.validators(),
            let variant = reader.variant()
        else { return nil }
        return StoredResponse(
            status: status,
            date: date,
            expiry: expiry,
            age: age,
            cacheControl: cacheControl,
            validators: validators,
            lastModified: lastModified,
            variant: variant,
            requestTime: requestTime,
            responseTime: responseTime
        )
    }
}
