import CalotypePlatform

/// A failed system call, or bytes that are not what they should be, in the system's words.
package struct SystemError: Error, Hashable, CustomStringConvertible {
    package let code: Int32
    package let action: String

    /// Creates the error from the calling thread's `errno`.
    package init(_ action: String, code: Int32 = errno) {
        self.code = code
        self.action = action
    }

    /// Bytes that are not a record of the expected layout.
    package static let notARecord = SystemError("read the record", code: EBADMSG)

    package var description: String { "cannot \(action): \(reason)" }

    /// The reason, without the action.
    package var reason: String {
        unsafe strerror(code).map { unsafe String(cString: $0) } ?? "error \(code)"
    }

    /// Whether the process or the machine is short of what every call needs: descriptors and memory.
    package var isShortage: Bool { [EMFILE, ENFILE, ENOMEM, ENOBUFS].contains(code) }

    /// Whether the disk accepts no more data: it is full, the user's quota is used up, or it is read-only.
    package var isFull: Bool { [ENOSPC, EDQUOT, EROFS].contains(code) }

    /// The error of opening `count` more descriptors now; `nil` if that works.
    ///
    /// Use it after a failure whose reason a library does not reveal.
    package static func descriptorShortage(opening count: Int = 1) -> SystemError? {
        var descriptors: [Int32] = []
        defer { for descriptor in descriptors { close(descriptor) } }
        for _ in 0..<count {
            let descriptor = Platform.streamSocket(AF_UNIX)
            guard descriptor >= 0 else {
                let error = SystemError("open a descriptor")
                return error.isShortage ? error : nil
            }
            descriptors.append(descriptor)
            if DescriptorLimit.isReserved(descriptor) {
                return SystemError("open a descriptor", code: EMFILE)
            }
        }
        return nil
    }
}

/// The maximum number of descriptors that this process may have open: files, sockets, event counters.
package enum DescriptorLimit {
    /// The current limit.
    package static var current: Int { read().soft }

    /// The first of the numbers that connections and files of ours never take.
    ///
    /// The last 32 numbers, or an eighth of them all, are left to what cannot do without: libdispatch opens a
    /// file in `/proc` each second while jobs wait, and ends the process if it cannot.
    package static var firstReserved: Int {
        let limit = current
        return limit - min(32, limit / 8)
    }

    /// Whether a descriptor just opened is one of the reserved numbers, so that it must be closed again.
    ///
    /// The system returns the lowest free number, so all numbers below are in use then.
    package static func isReserved(_ descriptor: Int32) -> Bool { Int(descriptor) >= firstReserved }

    /// Raises the limit to the system's hard limit.
    ///
    /// Call it at the start of a program; a library leaves the limits of its process alone.
    package static func raise() {
        let (soft, hard) = read()
        guard soft < hard else { return }
        var limit = rlimit(rlim_cur: rlim_t(hard), rlim_max: rlim_t(hard))
        // If the system refuses, the limit stays as it was, and that one counts from then on.
        _ = unsafe setrlimit(Platform.descriptorLimit, &limit)
    }

    private static func read() -> (soft: Int, hard: Int) {
        var limit = rlimit()
        guard unsafe getrlimit(Platform.descriptorLimit, &limit) == 0 else {
            return (1024, 1024)
        }
        return (Int(clamping: limit.rlim_cur), Int(clamping: limit.rlim_max))
    }
}
