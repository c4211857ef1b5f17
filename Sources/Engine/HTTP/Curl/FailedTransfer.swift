import CalotypeCCurl
import CalotypeCore
import CalotypeFiles
import CalotypePlatform

/// The details of a transfer that libcurl ended with an error.
struct FailedTransfer {
    let code: CURLcode
    /// libcurl's own message, in English.
    let detail: String
    let systemError: Int32
    /// Why this machine could not create a socket; `nil` if it could.
    let shortage: SystemError?
    let origin: WebURL.Origin
    let usesProxy: Bool
    /// The status of the proxy's response to `CONNECT`; 0 if there was none.
    let proxyStatus: Int
    let hasHead: Bool
    /// How much of the request's body was sent, and its length; `nil` if the request has no body.
    let sent: (Int, of: Int)?
    /// The number of body bytes received, before decoding.
    let got: Int64
    /// The announced length of the body; -1 if the origin announced none.
    let want: Int64

    /// Translates libcurl's result.
    ///
    /// No other code does so.
    var error: CalotypeError {
        switch code {
        case _ where ownShortage != nil: outOfResources
        case CURLE_COULDNT_RESOLVE_HOST:
            make(.dnsFailed, .resolve, "the name \(origin.host) could not be resolved")
        case CURLE_COULDNT_RESOLVE_PROXY, CURLE_PROXY: proxyFailed
        case CURLE_COULDNT_CONNECT: usesProxy ? proxyFailed : connectFailed
        case CURLE_OPERATION_TIMEDOUT:
            make(.timeoutConnect, .connect, "no connection to \(peer) within the connect timeout")
        // libcurl reports this without a head when an HTTP/2 connection ends.
        case CURLE_PARTIAL_FILE: hasHead ? truncated : reset
        // If the connection ends within the head, libcurl takes the head for a complete response.
        case CURLE_OK, CURLE_GOT_NOTHING: reset
        case CURLE_SEND_ERROR: hasHead ? truncated : reset
        // libcurl returns these two only if the request must not be sent again on another connection.
        case CURLE_SEND_FAIL_REWIND, CURLE_ABORTED_BY_CALLBACK: reset
        case CURLE_RECV_ERROR: receiveFailed
        case CURLE_HTTP2_STREAM: hasHead ? truncated : reset
        case CURLE_SSL_CONNECT_ERROR where wasCut: reset
        case _ where Self.tlsCodes.contains(code.rawValue):
            make(.tlsFailed, .connect, "no trusted TLS connection to \(peer): \(reason)")
        case CURLE_OUT_OF_MEMORY, CURLE_FAILED_INIT:
            make(.resourceShortage, .connect, "not enough memory for the transfer")
        default:
            make(
                .protocolError,
                hasHead ? .body : .response,
                "the response of \(peer) is not valid HTTP: \(reason)"
            )
        }
    }

    private static let tlsCodes = Set(
        [
            CURLE_SSL_CONNECT_ERROR, CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CERTPROBLEM, CURLE_SSL_CIPHER,
            CURLE_SSL_CACERT_BADFILE, CURLE_SSL_CRL_BADFILE, CURLE_SSL_ISSUER_ERROR,
            CURLE_SSL_ENGINE_NOTFOUND,
            CURLE_SSL_ENGINE_SETFAILED, CURLE_SSL_ENGINE_INITFAILED, CURLE_SSL_SHUTDOWN_FAILED,
            CURLE_SSL_PINNEDPUBKEYNOTMATCH, CURLE_SSL_INVALIDCERTSTATUS, CURLE_SSL_CLIENTCERT,
            CURLE_USE_SSL_FAILED,
        ].map(\.rawValue)
    )

    /// What this machine lacked, if that alone caused the failure.
    private var ownShortage: SystemError? {
        switch code {
        case CURLE_COULDNT_CONNECT:
            if let shortage { return shortage }
            let error = SystemError("connect", code: systemError)
            return error.isShortage ? error : nil
        // libcurl could not open a certificate file or load a library, and these codes do not say why.
        case CURLE_SSL_CACERT_BADFILE, CURLE_SSL_CONNECT_ERROR, CURLE_SSL_CERTPROBLEM, CURLE_FAILED_INIT,
            CURLE_SSL_ENGINE_INITFAILED, CURLE_INTERFACE_FAILED:
            return SystemError.descriptorShortage()
        default: return nil
        }
    }

    private var outOfResources: CalotypeError {
        let cause = ownShortage ?? SystemError("connect", code: EMFILE)
        return CalotypeError(
            .resourceShortage,
            "no connection to \(peer), because this machine lacks resources: \(cause.reason)",
            stage: .connect,
            cause: cause
        )
    }

    private var peer: String { "\(origin.host):\(origin.port)" }

    private var reason: String {
        detail.isEmpty ? unsafe String(cString: curl_easy_strerror(code)) : detail
    }

    /// libcurl reports a connection cut during the TLS handshake as a TLS error; only its message differs.
    private var wasCut: Bool {
        ["Connection reset", "SSL_ERROR_SYSCALL", "unexpected eof"].contains(where: detail.contains)
    }

    /// libcurl also reports invalid chunk sizes and refusals by the proxy as receive errors.
    private var receiveFailed: CalotypeError {
        if usesProxy, proxyStatus >= 300 { return proxyFailed }
        if detail.contains("chunked-encoding") {
            return make(.protocolError, .body, "the response body of \(peer) is not valid HTTP: \(reason)")
        }
        return hasHead ? truncated : reset
    }

    private var truncated: CalotypeError {
        let progress = want >= 0 ? "\(got) of \(want) bytes" : "\(got) bytes, before it was complete"
        return make(.truncatedBody, .body, "the connection was closed after \(progress)")
    }

    private var reset: CalotypeError {
        let progress = sent.map { ", \($0.0) of \($0.of) bytes of the request's body sent" } ?? ""
        return make(
            .connectionReset,
            .response,
            "\(peer) closed the connection before its response was complete\(progress)"
        )
    }

    private var connectFailed: CalotypeError {
        let why = systemError == 0 ? reason : unsafe String(cString: strerror(systemError))
        return make(.connectFailed, .connect, "no connection to \(peer): \(why)")
    }

    private var proxyFailed: CalotypeError {
        let why = proxyStatus >= 300 ? "it returned \(proxyStatus)" : reason
        return make(.proxyFailed, .connect, "the proxy could not connect to \(peer): \(why)")
    }

    private func make(_ code: ErrorCode, _ stage: CalotypeError.Stage, _ message: String) -> CalotypeError {
        CalotypeError(code, message, stage: stage)
    }
}
