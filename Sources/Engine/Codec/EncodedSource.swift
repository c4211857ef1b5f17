package import CalotypeCore

/// An encoded picture, opened: its bytes in memory or its file.
enum EncodedSource: Sendable {
    case memory([UInt8])
    case file(PictureFile)

    init(_ input: CodecInput) throws(CalotypeError) {
        switch input {
        case .bytes(let bytes): self = .memory(bytes)
        case .file(let path): self = .file(try PictureFile(path: path))
        }
    }

    /// The length in bytes.
    var count: Int {
        switch self {
        case .memory(let bytes): bytes.count
        case .file(let file): file.count
        }
    }

    /// Reads the header and walks over the rest.
    ///
    /// - Throws: `unsupported_format`, `corrupt_image`, `truncated_image`, `file_not_readable`.
    func facts() throws(CalotypeError) -> ImageFacts {
        let opened = try opened()
        guard !opened.isCut else { throw ImageProbe.error(.outOfBytes) }
        return opened.facts
    }

    /// Reads the header and walks over the rest, of which some may be missing.
    ///
    /// - Throws: as ``facts()``; `truncated_image` only where the header itself is cut.
    func opened() throws(CalotypeError) -> OpenedSource {
        var reader = reader()
        guard var facts = try ImageProbe.facts(&reader, isComplete: true) else {
            throw ImageProbe.error(.outOfBytes)
        }
        do throws(HeaderFault) {
            try ImageProbe.complete(&facts, &reader)
        } catch {
            guard case .outOfBytes = error else { throw ImageProbe.error(error) }
            return OpenedSource(encoded: self, facts: facts, isCut: true)
        }
        return OpenedSource(encoded: self, facts: facts, isCut: false)
    }

    /// Reads all bytes.
    func bytes() throws(CalotypeError) -> [UInt8] {
        switch self {
        case .memory(let bytes): return bytes
        case .file(let file):
            do throws(HeaderFault) {
                return try file.read(at: 0, length: file.count)
            } catch {
                throw ImageProbe.error(error)
            }
        }
    }

    func reader() -> ByteReader {
        switch self {
        case .memory(let bytes): ByteReader(bytes)
        case .file(let file): ByteReader(file)
        }
    }
}

extension CodecInput {
    /// Reads all bytes; blocks while the disk is busy.
    ///
    /// - Throws: `file_not_readable`.
    package func read() throws(CalotypeError) -> [UInt8] {
        try EncodedSource(self).bytes()
    }
}
