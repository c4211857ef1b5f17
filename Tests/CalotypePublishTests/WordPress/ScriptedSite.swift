import CalotypeCore
import CalotypeHTTP
import CalotypeTestKit
import TaskFlow

@testable import CalotypePublish

/// A WordPress site without a network, which fails on wish.
final class ScriptedSite: Sendable {
    enum Fault: Sendable {
        /// The act is done, but its answer does not arrive.
        case lostAnswer
        /// The request does not arrive; and where `later`, it is carried out before the next one of its name.
        case lostRequest(later: Bool = false)
        /// The answer, and nothing is done.
        case refused(ScriptedResponse)
        /// The act is done, but the answer is another one; of the medium that was made, smaller pictures are missing.
        case unfinished(Int)
    }

    private struct State {
        var contents = SiteContents()
        var faults: [String: [Fault]] = [:]
        var late: [SiteCall] = []
    }

    static let reset = CalotypeError(.connectionReset, "the connection was cut", stage: .response)
    static let password = Secret("abcd EFGH 1234")

    let transport = ScriptedTransport(otherwise: .status(404), keptBodyBytes: .mebibytes(1))
    let destination: WordPressDestination
    /// Methods and paths as they come, before they are answered.
    let called = Recorder<String>()
    private let hasPaths: Bool
    private let state = Guarded(State())

    init(_ home: String = "https://blog.test/", hasPaths: Bool = true) throws {
        destination = WordPressDestination(site: try WebURL(home), user: "anna", password: Self.password)
        self.hasPaths = hasPaths
        transport.answer(reading: .mebibytes(1)) { [self] in respond(SiteCall($0, $1)) }
    }

    var client: PublishClient { client() }
    var contents: SiteContents { state.withLock { $0.contents } }
    /// Methods and paths in order, those that look for the REST root left out.
    var calls: [String] { called.values }

    func client(
        now: @escaping @Sendable () -> WallTime = WallTime.now,
        clock: any Clock<Duration> = ContinuousClock()
    ) -> PublishClient {
        PublishClient(HTTPClient(transport), now: now, clock: clock)
    }

    /// Lets the next requests of a name, such as `POST wp/v2/media/*`, meet these faults.
    func fail(_ name: String, _ faults: Fault...) {
        state.withLock { $0.faults[name, default: []] += faults }
    }

    func change(_ body: (inout SiteContents) -> Void) {
        state.withLock { body(&$0.contents) }
    }

    func count(_ name: String) -> Int { calls.count { $0 == name } }

    private func respond(_ call: SiteCall) -> ScriptedResponse {
        state.withLock { state in
            guard call.isPlain || hasPaths else { return .status(404) }
            let hasSignedIn = call.headers["Authorization"] == "Basic YW5uYTphYmNkIEVGR0ggMTIzNA=="
            if call.path.isEmpty {
                return SiteContents.answer(
                    #"{"namespaces": ["oembed/1.0", "wp/v2"], "home": "https://blog.test"}"#
                )
            }
            guard call.path != "(page)" else { return .status(404) }
            called.record(call.name)
            guard hasSignedIn else { return SiteContents.refusal(401, "rest_not_logged_in") }
            return Self.respond(call, &state)
        }
    }

    private static func respondAfterLate(_ call: SiteCall, _ state: inout State) -> ScriptedResponse {
        for late in state.late where late.name == call.name { _ = state.contents.respond(late) }
        state.late.removeAll { $0.name == call.name }
        return state.contents.respond(call)
    }

    private static func respond(_ call: SiteCall, _ state: inout State) -> ScriptedResponse {
        var faults = state.faults[call.name] ?? []
        let fault = faults.isEmpty ? nil : faults.removeFirst()
        state.faults[call.name] = faults
        switch fault {
        case nil: return respondAfterLate(call, &state)
        case .lostAnswer:
            _ = respondAfterLate(call, &state)
            return .failure(reset)
        case .lostRequest(let later):
            if later { state.late.append(call) }
            return .failure(reset)
        case .refused(let answer): return answer
        case .unfinished(let status):
            _ = state.contents.respond(call)
            guard let index = state.contents.media.indices.last else { return .status(status) }
            state.contents.media[index].missing_image_sizes = ["large"]
            return .status(
                status,
                headers: ["X-WP-Upload-Attachment-ID": "\(state.contents.media[index].id)"]
            )
        }
    }
}

/// Makes attempts until one succeeds or fails for good, as the publisher does, but without pauses.
func attempting<Output>(
    _ limit: Int = 20,
    _ body: (_ isFirst: Bool) async throws -> Output
) async throws -> Output {
    for attempt in 1...limit {
        do {
            return try await body(attempt == 1)
        } catch let failure as PublishError where failure.remedy != .none && attempt < limit {
            continue
        } catch let error as CalotypeError where error.code == .connectionReset && attempt < limit {
            continue
        }
    }
    throw CancellationError()
}
