import CalotypeCore
import CalotypeFiles
import CalotypeHTTP
import CalotypeStore

/// The renditions in the persistent store, by request.
struct PictureStore: Sendable {
    let store: WriteBehind
    let judge: CacheJudge
    /// The fields that the pipeline sends with each request; other pipelines may use the store too.
    let headers: [HeaderField]
    /// The identifiers of the decoders of the program; other programs may use the store too.
    let decoders: Set<String>

    /// Returns the stored rendition for `key`.
    ///
    /// - Returns: `nil` if there is none, if the limits do not allow its source, or if the entry is damaged.
    /// - Throws: `CancellationError` if the task is cancelled.
    func picture(for key: RenditionKey) async throws -> Picture? {
        guard let name = name(of: key), let entry = try await store.entry(for: name) else { return nil }
        return picture(in: entry, name, key)
    }

    private func picture(in entry: StoredEntry, _ name: StoreKey, _ key: RenditionKey) -> Picture? {
        do throws(SystemError) {
            let (rendition, version) = try RenditionRecord.read(entry)
            guard key.limits.allow(rendition.source, rendition.sourceBytes) else { return nil }
            if let decoder = rendition.source.customDecoder, !decoders.contains(decoder) {
                throw .notARecord
            }
            return Picture(.rendition(rendition), judge.provenance(version, key.headers, from: .store))
        } catch {
            store.remove(name)
            return nil
        }
    }

    /// Writes the picture in the background, replacing another if `isAnew`.
    func write(_ picture: Picture, for key: RenditionKey, isAnew: Bool) {
        guard let name = name(of: key), let entry = RenditionRecord.entry(of: picture) else { return }
        store.write(entry, for: name, isAnew: isAnew)
    }

    /// Writes the new version in the background; the stored bytes stay.
    func refresh(_ picture: Picture, for key: RenditionKey) {
        guard let name = name(of: key), let entry = RenditionRecord.entry(of: picture) else { return }
        store.replaceMetadata(entry.metadata, for: name)
    }

    /// Removes the picture in the background.
    func remove(_ key: RenditionKey) {
        if let name = name(of: key) { store.remove(name) }
    }

    /// Removes the picture, and waits until the store has done so.
    ///
    /// - Throws: `CalotypeError`; `CancellationError`.
    func finishRemoving(_ key: RenditionKey) async throws {
        if let name = name(of: key) { try await store.removeEntry(for: name) }
    }

    private func name(of key: RenditionKey) -> StoreKey? {
        key.names.stored { StoreKey(key, sentWith: headers) }
    }
}

/// A rendition as a store entry: the metadata describes the rendition, its source and the source's version.
enum RenditionRecord {
    private static let layout: UInt8 = 3

    /// Returns the entry for `picture`; `nil` for pixels, which are not stored.
    static func entry(of picture: Picture) -> StoredEntry? {
        guard case .rendition(let rendition) = picture.content else { return nil }
        let version = picture.provenance.version
        return StoredEntry(metadata: metadata(rendition, version), bytes: rendition.bytes)
    }

    /// Reads the rendition in `entry`, and the version of its source.
    ///
    /// - Throws: `SystemError`.
    static func read(_ entry: StoredEntry) throws(SystemError) -> (Rendition, SourceVersion?) {
        var reader = try RecordReader(entry.metadata, version: layout)
        let format = try reader.format()
        let size = try reader.size()
        let source = try reader.facts()
        let sourceBytes = ByteCount(try reader.number())
        let isVerbatim = try reader.flag()
        let version = try reader.optional { reader throws(SystemError) in try SourceVersion(&reader) }
        try reader.finish()
        let rendition = Rendition(
            bytes: entry.bytes,
            format: format,
            size: size,
            source: source,
            sourceBytes: sourceBytes,
            isVerbatim: isVerbatim,
            cache: .hit
        )
        return (rendition, version)
    }

    private static func metadata(_ rendition: Rendition, _ version: SourceVersion?) -> [UInt8] {
        var writer = RecordWriter(version: layout)
        writer.add(rendition.format)
        writer.add(rendition.size)
        writer.add(rendition.source)
        writer.add(rendition.sourceBytes.bytes)
        writer.add(rendition.isVerbatim)
        writer.add(optional: version) { writer, version in version.write(to: &writer) }
        return writer.bytes
    }
}

extension RecordWriter {
    mutating func add(_ format: ImageFormat) {
        add(format.rawValue)
    }

    mutating func add(_ size: PixelSize) {
        add(size.width)
        add(size.height)
    }

    mutating func add(_ facts: ImageFacts) {
        add(facts.format)
        if facts.format == .custom { add(facts.customDecoder ?? "") }
        add(facts.storedSize)
        add(facts.orientation)
        add(optional: facts.frames) { writer, frames in writer.add(frames) }
        add(facts.needsWholePicture)
        add(facts.hasAlpha)
        add(facts.bitDepth)
        add(optional: facts.profile) { writer, profile in writer.add(profile) }
    }
}

extension RecordReader {
    mutating func format() throws(SystemError) -> ImageFormat {
        guard let format = ImageFormat(rawValue: try text()) else { throw .notARecord }
        return format
    }

    mutating func size() throws(SystemError) -> PixelSize {
        let sides = 0...(1 << 31)
        return PixelSize(width: try number(in: sides), height: try number(in: sides))
    }

    mutating func facts() throws(SystemError) -> ImageFacts {
        let format = try format()
        let decoder = format == .custom ? try text() : nil
        var facts = ImageFacts(
            format: format,
            storedSize: try size(),
            orientation: try number(in: 1...8),
            frames: try optional { reader throws(SystemError) in try reader.number() },
            needsWholePicture: try flag(),
            hasAlpha: try flag(),
            bitDepth: try number(in: 0...64),
            profile: try optional { reader throws(SystemError) in try reader.text() }
        )
        facts.customDecoder = decoder
        return facts
    }
}
