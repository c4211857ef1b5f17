import CalotypeCore
import CalotypeHTTP
import CalotypeTestKit
import TaskFlow

@testable import CalotypePublish

/// A server whose answers to a method and path are given one after the other, the last one again and again.
final class ScriptedServer: Sendable {
    let url: WebURL
    let transport: ScriptedTransport
    private let answers = Guarded<[String: [ScriptedResponse]]>([:])

    init(_ url: String = "https://social.test/", clock: any Clock<Duration> = ContinuousClock()) throws {
        self.url = try WebURL(url)
        let answers = answers
        transport = ScriptedTransport(clock: clock, keptBodyBytes: .mebibytes(1))
        transport.answer { request in
            answers.withLock { answers in
                guard let all = answers[Self.line(request)], let first = all.first else { return nil }
                if all.count > 1 { answers[Self.line(request)]?.removeFirst() }
                return first
            }
        }
    }

    /// Scripts the answers to, for example, `POST /api/v2/media`; a query is part of the path.
    func on(_ line: String, _ answers: ScriptedResponse...) {
        self.answers.withLock { $0[line] = answers }
    }

    /// A client of the server, at `now`.
    func client(now: WallTime = WallTime(secondsSince1970: 1_800_000_000)) -> PublishClient {
        PublishClient(HTTPClient(transport), now: { now })
    }

    /// The requests that came, such as `POST /api/v2/media`.
    var lines: [String] { transport.requests.map(Self.line) }

    /// The body of the first request of a line, as text.
    func body(of line: String) -> String {
        guard let index = lines.firstIndex(of: line) else { return "no \(line)" }
        return String(decoding: transport.receivedBodies[index], as: UTF8.self)
    }

    private static func line(_ request: HTTPRequest) -> String {
        let path = request.url.text.split(separator: "/", maxSplits: 2, omittingEmptySubsequences: false)[2]
        return "\(request.method) \(path.drop { $0 != "/" })"
    }
}

extension ScriptedResponse {
    /// A JSON answer.
    static func json(
        _ text: String,
        status: Int = 200,
        headers: KeyValuePairs<String, String> = [:]
    ) -> ScriptedResponse {
        ScriptedResponse(status: status, headers: headers, body: [.bytes(Array(text.utf8))])
    }
}

/// The failure that `body` throws; `nil` where it throws none, or something else.
func publishFailure(_ body: () async throws -> some Any) async -> PublishError? {
    do {
        _ = try await body()
        return nil
    } catch {
        return error as? PublishError
    }
}
