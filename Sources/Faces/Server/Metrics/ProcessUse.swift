import Glibc

/// What the process takes of the machine now, as the kernel tells it.
struct ProcessUse: Hashable, Sendable {
    /// Resident memory; 0 where it is not told.
    let residentBytes: Int
    /// CPU time, of the system's work for it too.
    let cpuSeconds: Double
    /// Open descriptors; 0 where they are not told.
    let descriptors: Int

    init() {
        residentBytes = Self.residentPages * Int(sysconf(Int32(_SC_PAGESIZE)))
        var time = timespec()
        cpuSeconds =
            unsafe clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time) == 0
            ? Double(time.tv_sec) + Double(time.tv_nsec) / 1e9 : 0
        descriptors = Self.openDescriptors
    }

    /// The second number of `/proc/self/statm`.
    private static var residentPages: Int {
        let file = unsafe open("/proc/self/statm", O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return 0 }
        defer { close(file) }
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: 128) { buffer, count in
            count = max(unsafe read(file, buffer.baseAddress, 128), 0)
        }
        let words = bytes.split(separator: UInt8(ascii: " "))
        return words.count > 1 ? Int(String(decoding: words[1], as: UTF8.self)) ?? 0 : 0
    }

    private static var openDescriptors: Int {
        guard let folder = unsafe opendir("/proc/self/fd") else { return 0 }
        defer { unsafe closedir(folder) }
        var count = 0
        while unsafe readdir(folder) != nil { count += 1 }
        // Itself, and the two entries that every folder has.
        return max(count - 3, 0)
    }
}
