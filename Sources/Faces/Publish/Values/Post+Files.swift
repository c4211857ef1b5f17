internal import CalotypeCore
internal import Glibc

extension Post {
    /// A file of a post that cannot be sent.
    public struct FileFault: Hashable, Sendable, CustomStringConvertible {
        /// Where it should be.
        public let path: String
        /// Why it cannot be sent, such as `no such file`.
        public let reason: String

        /// The path and the reason.
        public var description: String { "\(path): \(reason)" }
    }

    /// Looks at the files of the post, thumbnails too, and tells of all that cannot be sent, in order and each once.
    ///
    /// It asks the disk, and so does not belong on a thread of the cooperative pool where there are many files.
    public func fileFaults() -> [FileFault] {
        var seen: Set<String> = []
        return media.flatMap { [$0.source, $0.thumbnail] }.compactMap { source in
            guard case .file(let path) = source, seen.insert(path).inserted else { return nil }
            return Self.reason(against: path).map { FileFault(path: path, reason: $0) }
        }
    }

    private static func reason(against path: String) -> String? {
        do throws(SystemError) {
            // A pipe would make the opening wait for its writer.
            let status = try OpenFile(path, O_RDONLY | O_NONBLOCK | O_NOCTTY).status()
            if status.isKind(S_IFDIR) { return "this is a folder" }
            if !status.isKind(S_IFREG) { return "this is no regular file" }
            return status.st_size == 0 ? "the file is empty" : nil
        } catch {
            return error.code == ENOENT ? "no such file" : error.reason.lowercased()
        }
    }
}
