import CalotypeCommandLineKit
import CalotypeCore
import Glibc

/// Whether a command gets the memory that it takes before its own limits can hold.
///
/// Libraries, and Swift itself, end the process with a backtrace where the system gives them none; so it is asked for at the
/// start, when the reason can still be told.
enum StartMemory {
    /// The address space of threads, libraries and buffers of a command that loads many pictures at a time.
    ///
    /// Beside what the program takes by itself, a `fetch` that is refused memory begins to crash at 120 MB, one of large
    /// pictures at 200 MB.
    private static let many = ByteCount.mebibytes(320)
    /// The address space for commands that load one image or none; they begin to crash at 140 MB.
    private static let few = ByteCount.mebibytes(192)

    private static let modest: Set<String> = [
        InfoCommand.command.name, ThumbCommand.command.name, RobotCommand.command.name,
        CacheCommand.command.name, PublishListCommand.command.name, PublishSettleCommand.command.name,
        PublishGarbageCommand.command.name,
    ]

    /// Why `command` cannot start; `nil` where it can.
    static func problem(for command: String) -> String? {
        // Signing is a matter of some bytes.
        guard command != SignCommand.command.name else { return nil }
        let need = modest.contains(command) ? few : many
        guard !isGiven(need) else { return nil }
        var limit = rlimit()
        let isLimited =
            unsafe getrlimit(__rlimit_resource_t(RLIMIT_AS.rawValue), &limit) == 0
            && limit.rlim_cur <= rlim_t(Int.max)
        let allowed = isLimited ? "; ulimit -v allows \(ByteCount(Int(clamping: limit.rlim_cur))) in all" : ""
        return "too little memory to start: \(need) more address space is needed\(allowed); allow more"
    }

    /// Whether the system gives so much, which is given back at once.
    private static func isGiven(_ size: ByteCount) -> Bool {
        // Not reserved: it is the limits of the process that are asked for, not what the machine has free.
        let flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE
        let start = unsafe mmap(nil, size.bytes, PROT_READ | PROT_WRITE, flags, -1, 0)
        guard let start = unsafe start, unsafe start != UnsafeMutableRawPointer(bitPattern: -1) else {
            return false
        }
        unsafe munmap(start, size.bytes)
        return true
    }
}
