/// A thread of the system.
package struct SystemThread: Hashable, Sendable {
    /// A number that no other running thread has.
    package let number: UInt

    /// The calling thread.
    package static var current: SystemThread {
        #if canImport(Glibc)
        SystemThread(number: pthread_self())
        #else
        unsafe SystemThread(number: UInt(bitPattern: pthread_self()))
        #endif
    }

    /// Starts a thread that runs `body`.
    ///
    /// - Parameters:
    ///   - isDetached: Whether the thread's resources are freed when it ends; if not, join it.
    ///   - body: The work.
    /// - Returns: The thread, or the system's error number.
    package static func start(
        isDetached: Bool,
        _ body: @escaping @Sendable () -> Void
    ) -> Result<Self, Failure> {
        var attributes = pthread_attr_t()
        unsafe pthread_attr_init(&attributes)
        defer { unsafe pthread_attr_destroy(&attributes) }
        if isDetached { unsafe pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED)) }
        let context = unsafe Unmanaged.passRetained(ThreadBody(run: body))
        #if canImport(Glibc)
        var number = pthread_t()
        let status = unsafe pthread_create(&number, &attributes, enter, context.toOpaque())
        #else
        var thread: pthread_t?
        let status = unsafe pthread_create(&thread, &attributes, enter, context.toOpaque())
        let number = unsafe UInt(bitPattern: thread)
        #endif
        guard status == 0 else {
            unsafe context.release()
            return .failure(Failure(code: status))
        }
        return .success(SystemThread(number: number))
    }

    package struct Failure: Error {
        package let code: Int32
    }

    /// Waits until the thread has ended.
    package func join() {
        #if canImport(Glibc)
        pthread_join(number, nil)
        #else
        if let thread = unsafe pthread_t(bitPattern: number) { unsafe pthread_join(thread, nil) }
        #endif
    }

    /// Names the calling thread, for debuggers and `/proc`; Linux keeps 15 bytes.
    package static func setName(_ name: String) {
        #if canImport(Darwin)
        unsafe pthread_setname_np(name)
        #else
        // Glibc's Swift module has neither `pthread_setname_np` nor `prctl`.
        let file = unsafe open("/proc/thread-self/comm", O_WRONLY | O_CLOEXEC)
        guard file >= 0 else { return }
        let bytes = Array(name.utf8.prefix(15))
        _ = unsafe write(file, bytes, bytes.count)
        close(file)
        #endif
    }

    /// The name of the calling thread; `?` if it is unknown.
    package static var name: String {
        #if canImport(Darwin)
        var name = [CChar](repeating: 0, count: 64)
        guard unsafe pthread_getname_np(pthread_self(), &name, name.count) == 0 else { return "?" }
        let bytes = name.prefix { $0 != 0 }.map(UInt8.init(bitPattern:))
        #else
        let bytes = Platform.read("/proc/thread-self/comm", 16).dropLast()
        #endif
        return bytes.isEmpty ? "?" : String(decoding: bytes, as: UTF8.self)
    }

    /// Leaves all signals to other threads; SIGPIPE then does not end the process.
    package static func blockSignals() {
        var all = sigset_t()
        unsafe sigfillset(&all)
        unsafe pthread_sigmask(SIG_BLOCK, &all, nil)
    }

    /// Makes the calling thread yield when processors are scarce, from 0 (not at all) to 19.
    ///
    /// Linux applies it to this thread only. On macOS it would be the whole process, so nothing happens.
    package static func yield(_ niceness: Int) {
        #if canImport(Glibc)
        if niceness > 0 { _ = setpriority(Int32(PRIO_PROCESS.rawValue), 0, Int32(min(niceness, 19))) }
        #elseif canImport(Musl)
        if niceness > 0 { _ = setpriority(PRIO_PROCESS, 0, Int32(min(niceness, 19))) }
        #endif
    }
}

private final class ThreadBody: Sendable {
    let run: @Sendable () -> Void

    init(run: @escaping @Sendable () -> Void) {
        self.run = run
    }
}

#if canImport(Darwin)
private func enter(_ context: UnsafeMutableRawPointer) -> UnsafeMutableRawPointer? {
    unsafe Unmanaged<ThreadBody>.fromOpaque(context).takeRetainedValue().run()
    return nil
}
#else
private func enter(_ context: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    if let context = unsafe context {
        unsafe Unmanaged<ThreadBody>.fromOpaque(context).takeRetainedValue().run()
    }
    return nil
}
#endif
