internal import CalotypePlatform

/// The files of /proc.
enum ProcessFile {
    struct Unreadable: Error {}

    /// The first 16 KiB, which is more than they have.
    static func text(_ path: String) throws -> String {
        let descriptor = unsafe open(path, O_RDONLY)
        guard descriptor >= 0 else { throw Unreadable() }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: 16_384)
        let count = unsafe read(descriptor, &bytes, bytes.count)
        return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
    }
}
