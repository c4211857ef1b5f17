package import CalotypeCore
import CalotypeFiles
import CalotypePlatform

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

    /// Reads the header and checks the rest.
    ///
    /// - Throws: `unsupported_format`, `corrupt_image`, `truncated_image`, `file_not_readable`.
    func facts() throws(CalotypeError) -> ImageFacts {
        let opened = try opened()
        guard !opened.isCut else { throw ImageProbe.error(.outOfBytes) }
        return opened.facts
    }

    /// Reads the header and checks the rest, which may be incomplete.
    ///
    /// - Parameter decoders: The decoders for formats that Calotype does not read itself.
    /// - Returns: The source with its facts, and with the decoder of a custom format.
    /// - Throws: The errors of ``facts()``; `truncated_image` only if the header itself is incomplete.
    func opened(_ decoders: [CustomDecoder] = []) throws(CalotypeError) -> OpenedSource {
        var reader = reader()
        guard var facts = try ImageProbe.facts(&reader, isComplete: true, decoders) else {
            throw ImageProbe.error(.outOfBytes)
        }
        do throws(CodecError) {
            try ImageProbe.complete(&facts, &reader)
        } catch {
            guard case .outOfBytes = error else { throw ImageProbe.error(error) }
            return OpenedSource(encoded: self, facts: facts, isCut: true)
        }
        let decoder = decoders.first { $0.identifier == facts.customDecoder }
        return OpenedSource(encoded: self, facts: facts, isCut: false, customDecoder: decoder)
    }

    /// Reads all bytes.
    func bytes() throws(CalotypeError) -> [UInt8] {
        switch self {
        case .memory(let bytes): return bytes
        case .file(let file):
            do throws(CodecError) {
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
    /// Reads all bytes; blocks on the file system.
    ///
    /// - Throws: `file_not_readable`.
    package func read() throws(CalotypeError) -> [UInt8] {
        try EncodedSource(self).bytes()
    }
}

/// A source whose header has been read.
struct OpenedSource {
    let encoded: EncodedSource
    let facts: ImageFacts
    /// Whether it ends early.
    let isCut: Bool
    /// The decoder for a source that is ``ImageFormat/custom``.
    var customDecoder: CustomDecoder?

    /// The decoder of a source that is ``ImageFormat/custom``.
    var decoder: CustomDecoder {
        guard let customDecoder else { preconditionFailure("a custom format without a decoder") }
        return customDecoder
    }
}

/// A regular file with a picture, open for reading.
struct PictureFile: Sendable {
    /// The number of bytes in it.
    let count: Int
    let file: OpenFile

    /// Opens the file at `path`.
    ///
    /// - Throws: `file_not_readable`, also if it is not a regular file: a named pipe would block forever.
    init(path: String) throws(CalotypeError) {
        let status: stat
        do throws(SystemError) {
            file = try OpenFile(path, O_RDONLY | O_NONBLOCK)
            status = try file.status()
        } catch {
            throw Self.notReadable(path, error.reason, error)
        }
        guard status.isKind(S_IFREG) else { throw Self.notReadable(path, "it is not a regular file") }
        count = Int(status.st_size)
    }

    /// Takes over an open file of `count` bytes, which was a regular file when it was opened.
    init(_ file: OpenFile, count: Int) {
        self.file = file
        self.count = count
    }

    /// The descriptor, for a library that reads on its own; it is closed with the file.
    var descriptor: Int32 { file.descriptor }

    /// Reads up to `length` bytes at `offset`; fewer only at the file's end.
    func read(at offset: Int, length: Int) throws(CodecError) -> [UInt8] {
        do throws(SystemError) {
            return try file.read(length, at: offset)
        } catch {
            throw .system(SystemError("read the file", code: error.code))
        }
    }

    private static func notReadable(
        _ path: String,
        _ reason: String,
        _ cause: SystemError? = nil
    ) -> CalotypeError {
        CalotypeError(.fileNotReadable, "\(path) cannot be read: \(reason)", stage: .probe, cause: cause)
    }
}
