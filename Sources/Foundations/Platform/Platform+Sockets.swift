extension Platform {
    /// The kind of a socket for a stream of bytes.
    #if canImport(Glibc)
    package static let streamKind = Int32(SOCK_STREAM.rawValue)
    #else
    package static let streamKind = SOCK_STREAM
    #endif

    /// A flag of `send`, so that a client that has left raises no SIGPIPE.
    ///
    /// On macOS this is an option of the socket, which ``streamSocket(_:waits:)`` sets.
    #if canImport(Darwin)
    package static let noSignal: Int32 = 0
    #else
    package static let noSignal = Int32(MSG_NOSIGNAL)
    #endif

    /// Creates a socket for a stream of bytes, closed on exec; -1 with `errno` on failure.
    package static func streamSocket(_ domain: Int32, waits: Bool = true) -> Int32 {
        #if canImport(Darwin)
        let descriptor = socket(domain, streamKind, 0)
        if descriptor >= 0 { prepare(descriptor, waits: waits) }
        return descriptor
        #else
        return socket(domain, streamKind | closedOnExec | (waits ? 0 : neverWaiting), 0)
        #endif
    }

    /// Creates two connected sockets, closed on exec; -1 with `errno` on failure.
    package static func socketPair(_ ends: inout [Int32]) -> Int32 {
        #if canImport(Darwin)
        let status = unsafe socketpair(AF_UNIX, streamKind, 0, &ends)
        if status == 0 { for end in ends { prepare(end, waits: true) } }
        return status
        #else
        return unsafe socketpair(AF_UNIX, streamKind | closedOnExec, 0, &ends)
        #endif
    }

    #if canImport(Darwin)
    private static func prepare(_ descriptor: Int32, waits: Bool) {
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        if !waits { _ = fcntl(descriptor, F_SETFL, O_NONBLOCK) }
        var yes: Int32 = 1
        unsafe setsockopt(descriptor, SOL_SOCKET, SO_NOSIGPIPE, &yes, socklen_t(MemoryLayout<Int32>.size))
    }
    #elseif canImport(Glibc)
    private static let closedOnExec = Int32(SOCK_CLOEXEC.rawValue)
    private static let neverWaiting = Int32(SOCK_NONBLOCK.rawValue)
    #else
    private static let closedOnExec = SOCK_CLOEXEC
    private static let neverWaiting = SOCK_NONBLOCK
    #endif
}
