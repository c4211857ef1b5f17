package import CalotypeCore
import CalotypeFiles
import CalotypePlatform
import TaskFlow

/// Reads the parts of a request's body from memory and open files.
///
/// Every call blocks, so run it on a thread that may block.
package struct BodyReader: Sendable {
    private enum Source {
        case bytes([UInt8])
        case file(OpenFile, FileRange)
    }

    /// A position in the body.
    package struct Position: Sendable {
        fileprivate var part: Int
        fileprivate var offset = 0

        package init(part: Int = 0) {
            self.part = part
        }
    }

    private let sources: [Source]

    /// Opens all files of `body`, so that replacing a file during the upload does not change what is sent.
    ///
    /// - Throws: `file_not_readable`, or `source_changed` if a file is too short.
    package init(_ body: HTTPBody) throws(CalotypeError) {
        var sources: [Source] = []
        for part in body.parts {
            switch part {
            case .bytes(let bytes): sources.append(.bytes(bytes))
            case .file(let range): sources.append(.file(try Self.open(range), range))
            }
        }
        self.sources = sources
    }

    /// Returns the block at `position` and advances it, or returns `nil` at the end.
    ///
    /// - Throws: `file_not_readable`, or `source_changed` if a file ends too early.
    package func read(at position: inout Position) throws(CalotypeError) -> [UInt8]? {
        guard position.part < sources.count else { return nil }
        switch sources[position.part] {
        case .bytes(let bytes):
            position = Position(part: position.part + 1)
            return bytes
        case .file(let file, let range):
            let count = min(SendStateMachine.blockBytes, range.length.bytes - position.offset)
            let block = try Self.read(file, range, count, at: position.offset)
            position.offset += count
            if position.offset == range.length.bytes { position = Position(part: position.part + 1) }
            return block
        }
    }

    private static func open(_ range: FileRange) throws(CalotypeError) -> OpenFile {
        let file: OpenFile
        let status: stat
        do throws(SystemError) {
            // Without O_NONBLOCK, opening a named pipe would block the thread until another process writes to
            // it.
            file = try OpenFile(range.path, O_RDONLY | O_NONBLOCK | O_NOCTTY)
            status = try file.status()
        } catch {
            throw unreadable(range, error)
        }
        guard status.isKind(S_IFREG) else {
            throw CalotypeError(.fileNotReadable, "\(range.path) is not a regular file", stage: .request)
        }
        guard status.st_size >= range.offset.bytes + range.length.bytes else { throw tooShort(range) }
        return file
    }

    private static func read(
        _ file: OpenFile,
        _ range: FileRange,
        _ count: Int,
        at offset: Int
    ) throws(CalotypeError) -> [UInt8] {
        let block: [UInt8]
        do throws(SystemError) {
            block = try file.read(count, at: range.offset.bytes + offset)
        } catch {
            throw unreadable(range, error)
        }
        guard block.count == count else { throw tooShort(range) }
        return block
    }

    private static func unreadable(_ range: FileRange, _ error: SystemError) -> CalotypeError {
        CalotypeError(
            .fileNotReadable,
            "\(range.path) cannot be read: \(error.reason)",
            stage: .request,
            cause: error
        )
    }

    private static func tooShort(_ range: FileRange) -> CalotypeError {
        CalotypeError(
            .sourceChanged,
            "\(range.path) was truncated while it was sent: \(range.offset.bytes + range.length.bytes) bytes were expected",
            stage: .request
        )
    }
}
