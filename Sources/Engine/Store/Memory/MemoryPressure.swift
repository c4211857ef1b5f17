internal import Glibc

/// Whether a shortage of memory is watched for, and where.
///
/// Linux tells how long tasks had to wait for memory (pressure stall information, `Documentation/accounting/psi.rst`), for
/// the whole system and for each control group of version 2. Older kernels, and containers without these files, tell
/// nothing.
public struct MemoryPressure: Hashable, Sendable {
    /// The files that are watched; none where the system tells nothing.
    public let files: [String]

    /// Whether anything is watched.
    public var isWatched: Bool { !files.isEmpty }

    /// The files that may be there: the system's, and that of the control group of this process.
    static var candidates: [String] {
        var files = ["/proc/pressure/memory"]
        // The root group is the system.
        if let group = controlGroup, group != "/" {
            files += ["/sys/fs/cgroup", "/sys/fs/cgroup/unified"].map { "\($0)\(group)/memory.pressure" }
        }
        return files
    }

    /// The path of the control group of version 2, as in a line such as `0::/user.slice`.
    private static var controlGroup: String? {
        let descriptor = unsafe open("/proc/self/cgroup", O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        // The kernel gives all of it in one read, a line for each hierarchy.
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: 8192) { buffer, count in
            unsafe count = max(read(descriptor, buffer.baseAddress, buffer.count), 0)
        }
        let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n")
        return lines.first { $0.hasPrefix("0::/") }.map { String($0.dropFirst(3)) }
    }
}
