import TaskFlow

/// The conversions for the most recent profiles.
///
/// The pictures of a batch mostly share a few profiles, and creating a conversion takes milliseconds.
final class ColourConversions: Sendable {
    private struct Entry {
        let profile: [UInt8]
        let model: SampleLayout.Model
        let verdict: FastVerdict<ColourConversion?>
    }

    /// The most recent profiles, the newest at the end.
    private let entries = Guarded<[Entry]>([])

    /// The maximum number of profiles to keep.
    private static let mostEntries = 16
    /// The largest profile that is kept, and the largest that can be converted.
    private static let mostKeptBytes = 1 << 20
    private static let mostBytes = 4 << 20

    /// Returns the conversion to sRGB of rows of `model`, grey or colours with or without alpha, of a picture
    /// with `profile`.
    ///
    /// It is `nil` for rows that are sRGB, and if the profile makes no sense for them, as in libvips.
    /// The first use of a profile takes some milliseconds.
    func verdict(_ profile: [UInt8], _ model: SampleLayout.Model) -> FastVerdict<ColourConversion?> {
        guard !profile.isEmpty else { return .taken(nil) }
        if let known = known(profile, model) { return known }
        let verdict = Self.made(profile, model)
        if profile.count <= Self.mostKeptBytes {
            keep(Entry(profile: profile, model: model, verdict: verdict))
        }
        return verdict
    }

    /// The number of stored profiles.
    var count: Int { entries.withLock { $0.count } }

    /// Whether `profile` is stored, for rows of any model.
    func has(_ profile: [UInt8]) -> Bool {
        entries.withLock { entries in entries.contains { $0.profile == profile } }
    }

    private func known(_ profile: [UInt8], _ model: SampleLayout.Model) -> FastVerdict<ColourConversion?>? {
        entries.withLock { entries in
            let place = entries.lastIndex { $0.model == model && $0.profile == profile }
            guard let place else { return nil }
            let entry = entries.remove(at: place)
            entries.append(entry)
            return entry.verdict
        }
    }

    private func keep(_ entry: Entry) {
        entries.withLock { entries in
            if entries.count == Self.mostEntries { entries.removeFirst() }
            entries.append(entry)
        }
    }

    private static func made(
        _ profile: [UInt8],
        _ model: SampleLayout.Model
    ) -> FastVerdict<ColourConversion?> {
        guard profile.count <= mostBytes else { return .left(reason: "a very large profile") }
        guard !ICCProfile.isSRGB(profile) else { return .taken(nil) }
        guard ICCProfile.intent(of: profile) != .saturation else {
            return .left(reason: "a profile for saturation alone")
        }
        let isGrey = model == .grey || model == .greyAlpha
        switch ICCProfile.kind(of: profile) {
        case .odd(let reason): return .left(reason: reason)
        case .grey where isGrey, .colours where !isGrey:
            return .taken(ColourConversion(profile, model))
        case .grey, .colours, .other, .broken: return .taken(nil)
        }
    }
}

/// Converts the rows of a picture from the colours of its profile to sRGB; grey stays grey.
///
/// Several threads may use it at the same time.
struct ColourConversion: Sendable {
    private enum Way {
        /// The new value of each grey, for pixels with this number of samples.
        case table([UInt8], channels: Int)
        case transform(ColourTransform)
    }

    private let way: Way

    /// Creates the conversion of `profile`, for rows of `model`; `nil` if Little CMS cannot.
    init?(_ profile: [UInt8], _ model: SampleLayout.Model) {
        switch model {
        case .grey, .greyAlpha:
            guard let table = Self.table(profile) else { return nil }
            way = .table(table, channels: model.channels)
        case .rgb, .rgba, .videoYCbCr:
            guard let transform = ColourTransform(profile, .colours(hasAlpha: model.hasAlpha)) else {
                return nil
            }
            way = .transform(transform)
        }
    }

    /// Converts the samples of `row` in place; alpha stays as it is.
    func convert(_ row: inout MutableSpan<UInt8>) {
        switch way {
        case .table(let table, let channels):
            for index in stride(from: 0, to: row.count, by: channels) { row[index] = table[Int(row[index])] }
        case .transform(let transform): transform.convert(&row)
        }
    }

    /// The sRGB grey for each grey; a transform turns greys into colours of equal samples.
    private static func table(_ profile: [UInt8]) -> [UInt8]? {
        guard let transform = ColourTransform(profile, .grey) else { return nil }
        return transform.colours(ofGreys: Array(0...255))
    }
}
