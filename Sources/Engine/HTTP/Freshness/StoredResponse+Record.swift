import CalotypeCore
import CalotypeFiles
import CalotypeHTTPMessages

extension StoredResponse {
    /// The first byte of every encoding; it changes with the format.
    private static let version: UInt8 = 1
    /// The maximum number of bytes in an encoding.
    private static let longest = 8192

    /// The compact encoding: at most 8 KiB, typically 60 to 200 bytes.
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

    /// Decodes what ``encoded`` returned; `nil` for any other bytes.
    package init?(encoded: [UInt8]) {
        guard encoded.count <= Self.longest else { return nil }
        do throws(SystemError) {
            var reader = try RecordReader(encoded, version: Self.version)
            self = try Self.read(&reader)
            try reader.finish()
        } catch {
            return nil
        }
    }

    private static func read(_ reader: inout RecordReader) throws(SystemError) -> StoredResponse {
        let status = try reader.number(in: 100...999)
        let requestTime = try reader.moment()
        let responseTime = try reader.moment()
        let date = try reader.moment()
        let age = try reader.duration()
        let lastModified = try reader.optional { reader throws(SystemError) in try reader.moment() }
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

extension RecordWriter {
    mutating func add(_ moment: WallTime) {
        // The offset keeps moments before 1970 from becoming negative numbers.
        add(moment.secondsSince1970 + WallTime.bound)
    }

    mutating func add(_ duration: Duration) {
        add(duration.wholeSeconds)
    }

    mutating func add(_ expiry: StoredResponse.Expiry) {
        switch expiry {
        case .unknown: add(0)
        case .past: add(1)
        case .at(let moment):
            add(2)
            add(moment)
        }
    }

    mutating func add(_ control: CacheControl) {
        add(control.directives.rawValue)
        for field in CacheControl.times {
            add(optional: control[keyPath: field]) { writer, time in writer.add(time) }
        }
    }

    mutating func add(_ validators: Validators) {
        add(optional: validators.entityTag?.text) { writer, text in writer.add(text) }
        add(optional: validators.lastModified) { writer, text in writer.add(text) }
        add(validators.isDateStrong)
    }

    mutating func add(_ variant: VariantKey) {
        add(variant.isUnmatchable)
        add(variant.entries.count)
        for entry in variant.entries {
            add(entry.name)
            add(optional: entry.value) { writer, text in writer.add(text) }
        }
    }
}

extension RecordReader {
    mutating func moment() throws(SystemError) -> WallTime {
        WallTime(secondsSince1970: try number(in: 0...2 * WallTime.bound) - WallTime.bound)
    }

    mutating func duration() throws(SystemError) -> Duration {
        .seconds(try number(in: 0...1 << 31))
    }

    mutating func expiry() throws(SystemError) -> StoredResponse.Expiry {
        switch try number(in: 0...2) {
        case 0: .unknown
        case 1: .past
        default: .at(try moment())
        }
    }

    mutating func cacheControl() throws(SystemError) -> CacheControl {
        var control = CacheControl()
        let all = CacheControl.Directives.all.rawValue
        control.directives = CacheControl.Directives(rawValue: try number(in: 0...all))
        for field in CacheControl.times {
            control[keyPath: field] = try optional { reader throws(SystemError) in try reader.duration() }
        }
        return control
    }

    mutating func validators() throws(SystemError) -> Validators {
        let tag = try optional { reader throws(SystemError) in
            guard let tag = EntityTag(try reader.text()) else { throw .notARecord }
            return tag
        }
        return Validators(
            entityTag: tag,
            lastModified: try optional { reader throws(SystemError) in try reader.text() },
            isDateStrong: try flag()
        )
    }

    mutating func variant() throws(SystemError) -> VariantKey {
        let isUnmatchable = try flag()
        var entries: [VariantKey.Entry] = []
        for _ in 0..<(try number(in: 0...VariantKey.most)) {
            let name = try text()
            let value = try optional { reader throws(SystemError) in try reader.text() }
            entries.append(VariantKey.Entry(name: name, value: value))
        }
        return VariantKey(entries: entries, isUnmatchable: isUnmatchable)
    }
}

extension CacheControl {
    /// The directives with a duration, in the order of the encoding.
    fileprivate static var times: [WritableKeyPath<CacheControl, Duration?>] {
        [\.maxAge, \.sharedMaxAge, \.staleWhileRevalidate, \.staleIfError, \.maxStale, \.minFresh]
    }
}
