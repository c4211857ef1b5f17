extension Platform {
    #if canImport(Glibc)
    package typealias LimitKind = __rlimit_resource_t
    #else
    package typealias LimitKind = Int32
    #endif

    #if canImport(Glibc)
    /// The limit of open descriptors.
    package static let descriptorLimit = LimitKind(RLIMIT_NOFILE.rawValue)
    /// The limit of address space.
    package static let addressSpaceLimit = LimitKind(RLIMIT_AS.rawValue)
    #else
    package static let descriptorLimit = LimitKind(RLIMIT_NOFILE)
    package static let addressSpaceLimit = LimitKind(RLIMIT_AS)
    #endif

    /// A path that starts the running program again.
    package static var program: String {
        #if canImport(Darwin)
        var size = UInt32(PATH_MAX)
        var path = [CChar](repeating: 0, count: Int(size))
        guard unsafe _NSGetExecutablePath(&path, &size) == 0 else { return CommandLine.arguments[0] }
        return String(decoding: path.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
        #else
        return "/proc/self/exe"
        #endif
    }

    /// What the process has used since its start, and the most memory that it had in bytes.
    package static func resourceUse() -> (usage: rusage, peakBytes: Int) {
        var usage = rusage()
        #if canImport(Glibc)
        _ = unsafe getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
        #else
        _ = unsafe getrusage(RUSAGE_SELF, &usage)
        #endif
        #if canImport(Darwin)
        return (usage, usage.ru_maxrss)
        #else
        // Linux counts in KiB.
        return (usage, usage.ru_maxrss << 10)
        #endif
    }

    /// The memory of this process that is resident now, in bytes; 0 if unknown.
    package static var residentBytes: Int {
        #if canImport(Darwin)
        var info = mach_task_basic_info()
        let words = MemoryLayout<mach_task_basic_info>.size / MemoryLayout<natural_t>.size
        var count = mach_msg_type_number_t(words)
        let status = unsafe withUnsafeMutablePointer(to: &info) {
            unsafe $0.withMemoryRebound(to: integer_t.self, capacity: words) {
                unsafe task_info(mach_task_self_, task_flavor_t(MACH_TASK_BASIC_INFO), $0, &count)
            }
        }
        return status == KERN_SUCCESS ? Int(info.resident_size) : 0
        #else
        // The second number of the file.
        let words = read("/proc/self/statm", 128).split(separator: UInt8(ascii: " "))
        let pages = words.count > 1 ? Int(String(decoding: words[1], as: UTF8.self)) ?? 0 : 0
        return pages * Int(sysconf(Int32(_SC_PAGESIZE)))
        #endif
    }

    #if !canImport(Darwin)
    static func read(_ path: String, _ limit: Int) -> [UInt8] {
        let file = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return [] }
        defer { close(file) }
        return unsafe [UInt8](unsafeUninitializedCapacity: limit) { buffer, count in
            count = unsafe max(Platform.readOnce(file, buffer), 0)
        }
    }

    private static func readOnce(_ file: Int32, _ buffer: UnsafeMutableBufferPointer<UInt8>) -> Int {
        #if canImport(Glibc)
        unsafe Glibc.read(file, buffer.baseAddress, buffer.count)
        #else
        unsafe Musl.read(file, buffer.baseAddress, buffer.count)
        #endif
    }
    #endif
}

extension sigaction {
    package typealias Handler = @convention(c) (Int32) -> Void

    /// The handler of the signal; `nil` for the default action.
    package var handler: Handler? {
        get {
            #if canImport(Darwin)
            unsafe __sigaction_u.__sa_handler
            #elseif canImport(Musl)
            unsafe __sa_handler.sa_handler
            #else
            unsafe __sigaction_handler.sa_handler
            #endif
        }
        set {
            #if canImport(Darwin)
            unsafe __sigaction_u.__sa_handler = newValue
            #elseif canImport(Musl)
            unsafe __sa_handler.sa_handler = newValue
            #else
            unsafe __sigaction_handler.sa_handler = newValue
            #endif
        }
    }
}
