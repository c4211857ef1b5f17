import CalotypeCore

extension RecordWriter {
    mutating func add(_ moment: WallTime) {
        // Moments before 1970 make no negative number.
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
    mutating func moment() throws(Damage) -> WallTime {
        WallTime(secondsSince1970: try number(in: 0...2 * WallTime.bound) - WallTime.bound)
    }

    mutating func duration() throws(Damage) -> Duration {
        .seconds(try number(in: 0...1 << 31))
    }

    mutating func expiry() throws(Damage) -> StoredResponse.Expiry {
        switch try number(in: 0...2) {
        case 0: .unknown
        case 1: .past
        default: .at(try moment())
        }
    }

    mutating func cacheControl() throws(Damage) -> CacheControl {
        var control = CacheControl()
        let all = CacheControl.Directives.all.rawValue
        control.directives = CacheControl.Directives(rawValue: try number(in: 0...all))
        for field in CacheControl.times {
            control[keyPath: field] = try optional { reader throws(Damage) in try reader.duration() }
        }
        return control
    }

    mutating func validators() throws(Damage) -> Validators {
        let tag = try optional { reader throws(Damage) in
            guard let tag = EntityTag(try reader.text()) else { throw Damage() }
            return tag
        }
        return Validators(
            entityTag: tag,
            lastModified: try optional { reader throws(Damage) in try reader.text() },
            isDateStrong: try flag()
        )
    }

    mutating func variant() throws(Damage) -> VariantKey {
        let isUnmatchable = try flag()
        var entries: [VariantKey.Entry] = []
        for _ in 0..<(try number(in: 0...VariantKey.most)) {
            let name = try text()
            let value = try optional { reader throws(Damage) in try reader.text() }
            entries.append(VariantKey.Entry(name: name, value: value))
        }
        return VariantKey(entries: entries, isUnmatchable: isUnmatchable)
    }
}

extension CacheControl {
    /// The directives with a time, in the order in which they are written.
    fileprivate static var times: [WritableKeyPath<CacheControl, Duration?>] {
        [\.maxAge, \.sharedMaxAge, \.staleWhileRevalidate, \.staleIfError, \.maxStale, \.minFresh]
    }
}
