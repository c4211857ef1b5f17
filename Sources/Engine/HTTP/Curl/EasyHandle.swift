import CalotypeCCurl
import CalotypeCore
import CalotypeFiles
import CalotypeHTTPMessages

/// A libcurl easy handle and the exchange that it performs.
///
/// A handle never leaves its loop's thread.
@safe final class EasyHandle {
    private let configuration: CurlConfiguration
    private let timer: SweepTimer
    private let deliveries: DeliveryList
    private var easy: OpaquePointer?
    private var proxyHeaders = CurlList([])
    /// The proxy that the options name.
    private var proxy: WebURL?
    private var headers = CurlList([])
    private var resolution = CurlList([])
    private(set) var transfer: Transfer?
    private var parser = HTTPLimits().headParser
    private var hasHead = false
    private var bodyBytes = 0
    /// The announced length of the response's body, if known.
    private var announcedBytes: Int?
    private var outgoing = OutgoingBody()
    private var endWatch = EndWatch()
    private var isReceivingPaused = false
    private var isSendingPaused = false
    /// The number of connections that libcurl has chosen for the request.
    private var connections = 0
    /// Whether the options are those of a plain `GET`.
    private var isPlain = true
    /// Whether the origin refuses the request's `Expect`, which ends the exchange.
    private var isExpectationRefused = false
    /// Why a callback stopped libcurl, which knows only that one of them did.
    private var failure: CalotypeError?
    private var clock = TransferClock(HTTPTimeouts(), spent: .zero, now: .now) {
        didSet { if clock.deadline != oldValue.deadline { timer.cover(clock.deadline) } }
    }

    /// Creates a handle, or returns `nil` if memory runs out.
    ///
    /// - Parameters:
    ///   - configuration: The settings for all requests.
    ///   - timer: Receives every deadline.
    ///   - deliveries: Collects the transfers whose readers wait for data that has arrived.
    ///   - ledger: Counts the sockets; it must outlive the multi handle.
    init?(
        _ configuration: CurlConfiguration,
        _ timer: SweepTimer,
        _ deliveries: DeliveryList,
        ledger: OpaquePointer
    ) {
        self.configuration = configuration
        self.timer = timer
        self.deliveries = deliveries
        unsafe easy = nil
        var hooks = unsafe makeHooks(owner: self)
        unsafe easy = calotype_easy_create(&hooks, ledger)
        guard unsafe easy != nil else { return nil }
        setConfiguration()
    }

    deinit {
        if let easy = unsafe easy { unsafe calotype_easy_destroy(easy) }
    }

    /// libcurl's handle, for the loop.
    var raw: OpaquePointer? { unsafe easy }

    // MARK: The loop's side

    /// Prepares the handle for `transfer`.
    func begin(_ transfer: Transfer) {
        let request = transfer.request
        self.transfer = transfer
        parser = request.limits.headParser
        (hasHead, bodyBytes, announcedBytes, failure) = (false, 0, nil, nil)
        (isReceivingPaused, isSendingPaused, isExpectationRefused, connections) = (false, false, false, 0)
        (outgoing, endWatch) = (OutgoingBody(length: request.body.length.bytes), EndWatch())
        clock = TransferClock(request.timeouts, spent: transfer.timings.dns, now: .now)
        if !isPlain || !request.isPlain { setMethod(of: request) }
        isPlain = request.isPlain
        headers = CurlList(request.curlLines)
        resolution = CurlList(transfer.resolution.map { [$0] } ?? [])
        set(CURLOPT_URL, request.url.text)
        setProxy(configuration.proxies.proxy(for: request.url))
        unsafe calotype_easy_set_list(easy, CURLOPT_HTTPHEADER, headers.head)
        unsafe calotype_easy_set_list(easy, CURLOPT_RESOLVE, resolution.head)
        // An empty string accepts every encoding that libcurl decodes. In both cases libcurl decodes a
        // compressed body.
        set(CURLOPT_ACCEPT_ENCODING, request.acceptsCompressed ? "" : "identity")
        // libcurl tries the next address after half of the connect timeout, so it needs the time that is
        // left.
        let connect = max(request.timeouts.connect - transfer.timings.dns, .milliseconds(1))
        set(CURLOPT_CONNECTTIMEOUT_MS, Int((connect / .milliseconds(1)).rounded(.up)))
        let isSecure = request.url.scheme == .https
        set(CURLOPT_HTTP_VERSION, isSecure ? CURL_HTTP_VERSION_2TLS : CURL_HTTP_VERSION_1_1)
        // Requests wait to share an HTTP/2 connection instead of each opening its own. Plain HTTP has none to
        // share.
        set(CURLOPT_PIPEWAIT, isSecure ? 1 : 0)
    }

    /// Detaches the transfer and reports its outcome to the reader.
    ///
    /// The handle has already left the multi handle.
    func end(_ result: Result<Void, any Error>) {
        let ended = transfer
        transfer = nil
        outgoing = OutgoingBody()
        ended?.finish(result)
    }

    /// Converts libcurl's result into the outcome of the transfer.
    func outcome(_ code: CURLcode) -> Result<Void, any Error> {
        if let failure { return .failure(failure) }
        guard code != CURLE_OK || !hasHead else { return .success(()) }
        if isAnswered { return .success(()) }
        return .failure(describe(code).error)
    }

    /// Whether the whole response arrived before an error stopped the sending of the request's body.
    private var isAnswered: Bool {
        guard hasHead, outgoing.length > 0 else { return false }
        return isExpectationRefused || announcedBytes == bodyBytes
    }

    /// Whether a part of the response is still missing.
    private var awaitsAnswer: Bool {
        guard hasHead else { return true }
        return announcedBytes.map { unsafe calotype_easy_offset(easy, CURLINFO_SIZE_DOWNLOAD_T) < $0 }
            ?? false
    }

    /// Returns an error if the transfer timed out or the origin closed the connection.
    ///
    /// Otherwise reports the transfer's deadline to the timer.
    func expire(_ now: ContinuousClock.Instant) -> CalotypeError? {
        if endWatch.isOver { return cut }
        if let expiry = clock.expiry(now) { return timeout(expiry) }
        timer.cover(endWatch.wantsTurn ? now : clock.deadline)
        return nil
    }

    private var cut: CalotypeError {
        describe(hasHead ? CURLE_PARTIAL_FILE : CURLE_GOT_NOTHING).error
    }

    private func timeout(_ expiry: TransferClock.Expiry) -> CalotypeError {
        (transfer?.request.timeouts ?? HTTPTimeouts()).error(expiry)
    }

    /// Resumes receiving after the reader paused it.
    func resume() {
        clock.resumed(.now)
        isReceivingPaused = false
        _ = unsafe calotype_easy_resume(easy, false, isSendingPaused)
    }

    /// Resumes sending after the source of the request's body paused it.
    func resumeSending() {
        clock.sendingResumed(.now)
        isSendingPaused = false
        _ = unsafe calotype_easy_resume(easy, isReceivingPaused, false)
    }

    // MARK: What libcurl calls

    func takeHeader(_ line: UnsafeBufferPointer<UInt8>) -> Bool {
        do throws(CalotypeError) {
            guard let head = try unsafe head(line) else { return true }
            let isHead = transfer?.request.method == .head
            if !isHead {
                try transfer?.request.limits.check(announced: head.contentLength, status: head.status)
            }
            (hasHead, announcedBytes) = (true, isHead ? 0 : head.contentLength)
            let now = ContinuousClock.now
            transfer?.receive(head, firstByte: clock.awaitsHead ? clock.elapsed(now) : .zero)
            clock.headCompleted(now)
            return outgoing.sent == outgoing.length || goesOn(after: head)
        } catch {
            failure = error
            return false
        }
    }

    /// Parses the next line of the head, and returns the head when it is complete.
    private func head(_ line: UnsafeBufferPointer<UInt8>) throws(CalotypeError) -> ResponseHead? {
        let step = try CalotypeError.translating { () throws(HTTPMessageError) in
            try unsafe parser.take(line)
        }
        return if case .head(let head) = step { head } else { nil }
    }

    func takeBody(_ bytes: UnsafeBufferPointer<UInt8>) -> BodyVerdict {
        guard let transfer else { return .stop }
        do throws(CalotypeError) {
            try transfer.request.limits.check(received: bodyBytes + bytes.count)
        } catch {
            failure = error
            return .stop
        }
        guard transfer.hasRoom(for: bytes.count) else {
            clock.paused(.now)
            isReceivingPaused = true
            return .pause
        }
        bodyBytes += bytes.count
        clock.received(bytes.count, .now)
        if unsafe transfer.receive(Array(bytes)) { deliveries.add(transfer) }
        return .taken
    }

    func giveBody(_ space: UnsafeMutableRawBufferPointer) -> SendVerdict {
        guard let transfer else { return .stop }
        do throws(CalotypeError) {
            if let count = try unsafe outgoing.fill(space, from: transfer) { return .given(count) }
        } catch {
            failure = error
            return .stop
        }
        clock.sendingPaused(.now)
        isSendingPaused = true
        return .pause
    }

    /// Records how much of the request's body has been sent; called in each turn of the loop.
    func bodySent(_ total: Int) {
        defer { watchForEnd() }
        let news = outgoing.sent(upTo: total)
        guard news > 0 else { return }
        let now = ContinuousClock.now
        let isAll = outgoing.sent == outgoing.length
        if isAll { transfer?.sent(in: clock.elapsed(now)) }
        clock.sent(news, isAll: isAll, now)
        transfer?.request.progress?.report(ByteCount(outgoing.sent))
    }

    private func watchForEnd() {
        guard outgoing.sent < outgoing.length, !isReceivingPaused, awaitsAnswer,
            unsafe calotype_easy_peer_has_ended(easy)
        else { return endWatch.turned(hasEnded: false) }
        endWatch.turned(hasEnded: true)
        timer.cover(.now)
    }

    /// Whether libcurl may continue an exchange whose response arrives before the request's body is sent.
    ///
    /// Such a response leaves an HTTP/1 connection in a state that only the origin knows. After a 417,
    /// libcurl would drop the body of the response and send the request again, so the exchange ends there.
    private func goesOn(after head: ResponseHead) -> Bool {
        if head.version != .http2 { set(CURLOPT_FORBID_REUSE, 1) }
        isExpectationRefused = head.status == 417 && transfer?.request.expectsContinue == true
        return !isExpectationRefused
    }

    /// Whether the request may be sent on the connection that libcurl has chosen.
    func connectionStands() -> Bool {
        connections += 1
        guard connections == 1 || mayRepeat else { return false }
        // A pause ends with its connection.
        (isReceivingPaused, isSendingPaused) = (false, false)
        clock.connected(.now, sends: outgoing.length > 0)
        let connect = unsafe calotype_easy_offset(easy, CURLINFO_CONNECT_TIME_T)
        let secure = unsafe calotype_easy_offset(easy, CURLINFO_APPCONNECT_TIME_T)
        transfer?.connected(.microseconds(connect), .microseconds(max(secure - connect, 0)))
        return true
    }

    /// Whether libcurl may send the request again, which it does after a reused connection has died.
    private var mayRepeat: Bool {
        guard !hasHead, let method = transfer?.request.method else { return false }
        if outgoing.length > 0, outgoing.taken == 0 { return true }
        return method.isSafe || (method.isIdempotent && outgoing.length == 0)
    }

    func admits(_ address: IPAddress) -> Bool {
        guard let request = transfer?.request else { return false }
        // Through a proxy this is the address of the proxy, which the configuration trusts.
        if proxy != nil || request.addressPolicy.allows(address) { return true }
        failure = AddressPolicy.blocked(request.url.host, address)
        return false
    }

    // MARK: Private

    private func setConfiguration() {
        set(CURLOPT_USERAGENT, configuration.userAgent)
        if let file = configuration.certificateFile { set(CURLOPT_CAINFO, file) }
    }

    private func setProxy(_ next: WebURL?) {
        guard next != proxy else { return }
        proxy = next
        // An empty string disables the variables that libcurl reads itself.
        set(CURLOPT_PROXY, next?.text ?? "")
        let lines = next?.authorization.map { ["Proxy-Authorization: \($0)"] } ?? []
        let list = CurlList(lines)
        unsafe calotype_easy_set_list(easy, CURLOPT_PROXYHEADER, list.head)
        proxyHeaders = list
    }

    private func describe(_ code: CURLcode) -> FailedTransfer {
        let noSocket = unsafe SystemError("open a socket", code: calotype_easy_no_socket(easy))
        return unsafe FailedTransfer(
            code: code,
            detail: String(cString: calotype_easy_error(easy)),
            systemError: Int32(truncatingIfNeeded: calotype_easy_long(easy, CURLINFO_OS_ERRNO)),
            shortage: noSocket.isShortage ? noSocket : nil,
            origin: transfer?.request.url.origin ?? WebURL.Origin(scheme: .http, host: "?", port: 0),
            usesProxy: proxy != nil,
            proxyStatus: calotype_easy_long(easy, CURLINFO_HTTP_CONNECTCODE),
            hasHead: hasHead,
            sent: outgoing.length > 0 ? (outgoing.sent, outgoing.length) : nil,
            got: calotype_easy_offset(easy, CURLINFO_SIZE_DOWNLOAD_T),
            want: calotype_easy_offset(easy, CURLINFO_CONTENT_LENGTH_DOWNLOAD_T)
        )
    }
}
