import CalotypeCCurl
import CalotypeCore
import CalotypeFiles
import CalotypePlatform
import TaskFlow

/// The owner of a libcurl multi handle and of the count of its sockets.
///
/// Any thread may use ``wake()`` and ``openSockets``. Only the loop's thread may use the rest.
@safe final class MultiHandle: @unchecked Sendable {
    // SAFETY: curl_multi_wakeup may be called from any thread while the handle is open, which `isOpen`
    // ensures; the socket count is atomic; only the loop's thread calls everything else.
    private let multi: UnsafeMutableRawPointer
    private let ledger: OpaquePointer
    private let isOpen = Guarded(true)

    /// Creates a handle.
    ///
    /// - Throws: `resource_shortage` if there is no memory or no descriptor for wake-ups. libcurl itself
    ///   would continue without wake-ups, and every command would wait for the loop's next timeout.
    init(_ configuration: CurlConfiguration) throws(CalotypeError) {
        try CurlLibrary.start()
        guard let ledger = unsafe calotype_ledger_create() else { throw Self.shortage(ENOMEM) }
        guard let multi = unsafe curl_multi_init() else {
            unsafe calotype_ledger_destroy(ledger)
            throw Self.shortage(ENOMEM)
        }
        guard unsafe curl_multi_wakeup(multi) == CURLM_OK else {
            let code = SystemError.descriptorShortage()?.code ?? EMFILE
            _ = unsafe curl_multi_cleanup(multi)
            unsafe calotype_ledger_destroy(ledger)
            throw Self.shortage(code)
        }
        unsafe self.multi = multi
        unsafe self.ledger = ledger
        _ = unsafe calotype_multi_set_long(multi, CURLMOPT_MAXCONNECTS, max(configuration.idleConnections, 1))
    }

    deinit {
        close()
        unsafe calotype_ledger_destroy(ledger)
    }

    /// The number of open sockets.
    var openSockets: Int { unsafe calotype_ledger_open_sockets(ledger) }

    /// Ends the current ``wait(_:)`` of the loop, or the next one.
    func wake() {
        // The lock keeps the handle open during the call, which writes one byte and does not block.
        let result = isOpen.withLock { isOpen in isOpen ? unsafe curl_multi_wakeup(multi) : CURLM_OK }
        // A wake-up has succeeded since the handle exists, so it fails only if other code closed its
        // descriptors.
        precondition(result == CURLM_OK, "libcurl's wake-up fails")
    }

    private static func shortage(_ code: Int32) -> CalotypeError {
        let cause = SystemError("start the network's loop", code: code)
        return CalotypeError(.resourceShortage, cause.description, stage: .connect, cause: cause)
    }

    // MARK: The loop's thread

    /// Creates an easy handle whose sockets this multi handle counts.
    func makeEasyHandle(
        _ configuration: CurlConfiguration,
        _ timer: SweepTimer,
        _ deliveries: DeliveryList
    ) -> EasyHandle? {
        unsafe EasyHandle(configuration, timer, deliveries, ledger: ledger)
    }

    func add(_ handle: EasyHandle) -> Bool {
        unsafe calotype_multi_add(multi, handle.raw) == CURLM_OK
    }

    func remove(_ handle: EasyHandle) {
        _ = unsafe calotype_multi_remove(multi, handle.raw)
    }

    /// Does all work that needs no waiting.
    func perform() {
        var running: Int32 = 0
        _ = unsafe curl_multi_perform(multi, &running)
    }

    /// Waits for network activity or a wake-up, up to `milliseconds`.
    func wait(_ milliseconds: Int32) {
        _ = unsafe curl_multi_poll(multi, nil, 0, milliseconds, nil)
    }

    /// Returns the next transfer that libcurl has finished, and its result.
    func nextFinished() -> (EasyHandle, CURLcode)? {
        var result = CURLE_OK
        guard let owner = unsafe calotype_multi_next_finished(multi, &result) else { return nil }
        return unsafe (Unmanaged<EasyHandle>.fromOpaque(owner).takeUnretainedValue(), result)
    }

    /// Closes all connections.
    ///
    /// All easy handles must have been removed.
    func close() {
        let wasOpen = isOpen.withLock { isOpen in
            defer { isOpen = false }
            return isOpen
        }
        if wasOpen { _ = unsafe curl_multi_cleanup(multi) }
    }
}

/// The libcurl library.
enum CurlLibrary {
    /// The version, such as `7.88.1`.
    static let version = unsafe String(cString: curl_version_info(CURLVERSION_FIRST).pointee.version)

    /// Initialises libcurl once per process.
    ///
    /// If this fails because memory or descriptors run out, the next call tries again.
    ///
    /// - Throws: `resource_shortage`.
    static func start() throws(CalotypeError) {
        let works = isStarted.withLock { isStarted in
            if !isStarted { isStarted = curl_global_init(Int(CURL_GLOBAL_DEFAULT)) == CURLE_OK }
            return isStarted
        }
        guard !works else { return }
        let cause = SystemError("set libcurl up", code: SystemError.descriptorShortage()?.code ?? ENOMEM)
        throw CalotypeError(.resourceShortage, cause.description, stage: .connect, cause: cause)
    }

    private static let isStarted = Guarded(false)
}
