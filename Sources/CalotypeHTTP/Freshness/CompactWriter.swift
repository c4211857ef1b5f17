/// Writes values as few bytes: integers in groups of seven bits, text with its length before it.
struct CompactWriter {
    private(set) var bytes: [UInt8]

    init(_ version: UInt8) {
        bytes = [version]
    }

    mutating func put(_ value: Int) {
        // Small negative numbers are short too: the sign is the lowest bit.
        var rest = UInt64(bitPattern: Int64((value << 1) ^ (value >> 63)))
        while rest >= 0x80 {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(truncatingIfNeeded: rest))
    }

    mutating func put(_ value: Int?) {
        put(value == nil ? 0 : 1)
        if let value { put(value) }
    }

    mutating func put(_ text: String) {
        put(text.utf8.count)
        bytes.append(contentsOf: text.utf8)
    }

    mutating func put(_ text: String?) {
        put(text == nil ? 0 : 1)
        if let text { put(text) }
    }

    mutating func put(_ expiry: StoredResponse.Expiry) {
        switch expiry {
        case .unknown: put(0)
        case .past: put(1)
        case .at(let moment):
            put(2)
            put(moment.secondsSince1970)
        }
    }

    mutating func put(_ control: CacheControl) {
        put(control.directives.rawValue)
        for field in CacheControl.times { put(control[keyPath: field]?.wholeSeconds) }
    }

    mutating func put(_ validators: Validators) {
        put(validators.entityTag?.text)
        put(validators.lastModified)
        put(validators.isDateStrong ? 1 : 0)
    }

    mutating func put(_ variant: VariantKey) {
        put(variant.isUnmatchable ? 1 : 0)
        put(variant.entries.count)
        for entry in variant.entries {
            put(entry.name)
            put(entry.value)
        }
    }
}

extension CacheControl {
    /// The directives with a time, in the order in which they are written.
    static var times: [WritableKeyPath<CacheControl, Duration?>] {
        [\.maxAge, \.sharedMaxAge, \.staleWhileRevalidate, \.staleIfError, \.maxStale, \.minFresh]
    }
}
