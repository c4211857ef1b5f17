import CalotypeCore

extension StoredResponse {
    /// The first byte of every encoding; another one is of another version.
    private static let version: UInt8 = 1
    /// The most bytes that are read.
    private static let longest = 8192

    /// A compact form of at most 8 KiB, typically 60 to 200 bytes.
    package var encoded: [UInt8] {
        var writer = RecordWriter(version: Self.version)
        writer.add(status)
        writer.add(requestTime)
        writer.add(responseTime)
        writer.add(date)
        writer.add(age)
        writer.add(optional: lastModified) { writer, moment in writer.add(moment) }
        writer.add(expiry)
        writer.add(cacheControl)
        writer.add(validators)
        writer.add(variant)
        return writer.bytes
    }

    /// Reads what ``encoded`` made; `nil` for all else.
    package init?(encoded: [UInt8]) {
        guard encoded.count <= Self.longest else { return nil }
        do throws(RecordReader.Damage) {
            var reader = try RecordReader(encoded, version: Self.version)
            self = try Self.read(&reader)
            try reader.finish()
        } catch {
            return nil
        }
    }

    private static func read(_ reader: inout RecordReader) throws(RecordReader.Damage) -> StoredResponse {
        let status = try reader.number(in: 100...999)
        let requestTime = try reader.moment()
        let responseTime = try reader.moment()
        let date = try reader.moment()
        let age = try reader.duration()
        let lastModified = try reader.optional { reader throws(RecordReader.Damage) in try reader.moment() }
        return StoredResponse(
            status: status,
            date: date,
            expiry: try reader.expiry(),
            age: age,
            cacheControl: try reader.cacheControl(),
            validators: try reader.validators(),
            lastModified: lastModified,
            variant: try reader.variant(),
            requestTime: requestTime,
            responseTime: responseTime
        )
    }
}
