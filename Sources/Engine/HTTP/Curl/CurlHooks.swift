import CalotypeCCurl
import CalotypeFiles
import CalotypeHTTPMessages

/// How a write callback handled the bytes that libcurl offered.
enum BodyVerdict {
    case taken
    /// libcurl keeps the bytes and offers them again after a resume.
    case pause
    case stop
}

/// What a read callback returns for the request's body.
enum SendVerdict {
    /// The number of bytes provided; zero at the end.
    case given(Int)
    /// No bytes yet; libcurl calls again after a resume.
    case pause
    case stop
}

/// Creates the callbacks that libcurl calls on `owner`, which must outlive the handle that receives them.
func makeHooks(owner: EasyHandle) -> calotype_hooks {
    unsafe calotype_hooks(
        owner: Unmanaged.passUnretained(owner).toOpaque(),
        write: writeHook,
        header: headerHook,
        read: readHook,
        sent: sentHook,
        connected: connectedHook,
        admit: admitHook,
        is_reserved: reservedHook
    )
}

// Functions rather than closures: a closure could inherit its context's isolation and trap on the loop's
// thread.

private func owner(_ context: UnsafeMutableRawPointer?) -> EasyHandle? {
    unsafe context.map { unsafe Unmanaged<EasyHandle>.fromOpaque($0).takeUnretainedValue() }
}

private func bytes(_ start: UnsafeMutablePointer<CChar>?, _ count: Int) -> UnsafeBufferPointer<UInt8> {
    unsafe UnsafeBufferPointer(
        start: UnsafeRawPointer(start)?.assumingMemoryBound(to: UInt8.self),
        count: count
    )
}

private func writeHook(
    _ start: UnsafeMutablePointer<CChar>?,
    _ size: Int,
    _ count: Int,
    _ context: UnsafeMutableRawPointer?
) -> Int {
    guard let handle = unsafe owner(context) else { return 0 }
    guard count > 0 else { return 0 }
    switch unsafe handle.takeBody(bytes(start, size * count)) {
    case .taken: return size * count
    case .pause: return Int(CURL_WRITEFUNC_PAUSE)
    case .stop: return 0
    }
}

private func headerHook(
    _ start: UnsafeMutablePointer<CChar>?,
    _ size: Int,
    _ count: Int,
    _ context: UnsafeMutableRawPointer?
) -> Int {
    guard let handle = unsafe owner(context), unsafe handle.takeHeader(bytes(start, size * count)) else {
        return 0
    }
    return size * count
}

private func readHook(
    _ start: UnsafeMutablePointer<CChar>?,
    _ size: Int,
    _ count: Int,
    _ context: UnsafeMutableRawPointer?
) -> Int {
    let space = unsafe UnsafeMutableRawBufferPointer(start: start, count: size * count)
    switch unsafe owner(context)?.giveBody(space) {
    case .given(let count)?: return count
    case .pause?: return Int(CURL_READFUNC_PAUSE)
    case .stop?, nil: return Int(CURL_READFUNC_ABORT)
    }
}

private func sentHook(_ context: UnsafeMutableRawPointer?, _ count: Int64) {
    unsafe owner(context)?.bodySent(Int(count))
}

private func connectedHook(_ context: UnsafeMutableRawPointer?) -> Bool {
    unsafe owner(context)?.connectionStands() ?? false
}

private func admitHook(
    _ context: UnsafeMutableRawPointer?,
    _ address: UnsafePointer<UInt8>?,
    _ count: Int
) -> Bool {
    guard let handle = unsafe owner(context),
        let address = unsafe IPAddress(networkOrder: UnsafeBufferPointer(start: address, count: count))
    else { return false }
    return handle.admits(address)
}

private func reservedHook(_ number: Int32) -> Bool { DescriptorLimit.isReserved(number) }
