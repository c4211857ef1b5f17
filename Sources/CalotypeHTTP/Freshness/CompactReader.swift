/// Reads what ``CompactWriter`` wrote; whatever else comes is `nil`, never a trap.
struct CompactReader {
    private var bytes: ArraySlice<UInt8>

    init(_ bytes: ArraySlice<UInt8>) {
        self.bytes = bytes
    }

    var isAtEnd: Bool { bytes.isEmpty }

    mutating func int() -> Int? {
        var value: UInt64 = 0
        for shift in stride(from: 0, to: 63, by: 7) {
            guard let byte = bytes.popFirst() else { return nil }
            value |= UInt64(byte & 0x7F) << shift
            if byte < 0x80 { return Int(value >> 1) ^ -Int(value & 1) }
        }
        return nil
    }

    mutating func flag() -> Bool? {
        int().flatMap { (0...1).contains($0) ? $0 == 1 : nil }
    }

    /// `nil` for junk, `.some(nil)` for nothing.
    mutating func optional<Value>(_ read: (inout CompactReader) -> Value?) -> Value?? {
        guard let isThere = flag() else { return nil }
        guard isThere else { return .some(nil) }
        return read(&self).map { .some($0) }
    }

    mutating func text(_ longest: Int) -> String? {
        guard let count = int(), (0...longest).contains(count), count <= bytes.count else { return nil }
        defer { bytes.removeFirst(count) }
        return String(validating: bytes.prefix(count), as: UTF8.self)
    }

    mutating func moment() -> WallTime? {
        int().map { WallTime(secondsSince1970: $0) }
    }

    mutating func duration() -> Duration? {
        int().flatMap { (0...(1 << 31)).contains($0) ? .seconds($0) : nil }
    }

    mutating func expiry() -> StoredResponse.Expiry? {
        switch int() {
        case 0: .unknown
        case 1: .past
        case 2: moment().map { .at($0) }
        default: nil
        }
    }

    mutating func cacheControl() -> CacheControl? {
        guard let raw = int(), CacheControl.Directives.all.isSuperset(of: .init(rawValue: raw)) else {
            return nil
        }
        var control = CacheControl()
        control.directives = CacheControl.Directives(rawValue: raw)
        for field in CacheControl.times {
            guard let time = optional({ $0.duration() }) else { return nil }
            control[keyPath: field] = time
        }
        return control
    }

    mutating func validators() -> Validators? {
        guard let tag = optional({ $0.text(EntityTag.longest).flatMap(EntityTag.init) }),
            let date = optional({ $0.text(64) }), let isDateStrong = flag()
        else { return nil }
        return Validators(entityTag: tag, lastModified: date, isDateStrong: isDateStrong)
    }

    mutating func variant() -> VariantKey? {
        guard let isUnmatchable = flag(), let count = int(), (0...VariantKey.most).contains(count) else {
            return nil
        }
        var entries: [VariantKey.Entry] = []
        for _ in 0..<count {
            guard let name = text(VariantKey.longest), let value = optional({ $0.text(VariantKey.longest) })
            else { return nil }
            entries.append(VariantKey.Entry(name: name, value: value))
        }
        return VariantKey(entries: entries, isUnmatchable: isUnmatchable)
    }
}
