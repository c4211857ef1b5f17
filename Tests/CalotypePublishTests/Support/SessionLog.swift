import CalotypeCore
import CalotypeHTTP
import CalotypeTestKit
import TaskFlow

@testable import CalotypePublish

/// What the attempts of a destination remember and tell, from one to the next, as the journal would.
final class SessionLog: Sendable {
    /// What was remembered, in order.
    let states = Recorder<RememberedState>()
    /// The bytes that the server acknowledged, in order.
    let acknowledged = Recorder<ByteCount>()
    /// The bytes that left, in order.
    let sent = Recorder<ByteCount>()
    /// The pauses that were asked for; none is made.
    let pauses = Recorder<Duration>()
    /// The times that an attempt told of processing.
    let processing = Recorder<Int>()
    private let client: PublishClient

    init(_ client: PublishClient) {
        self.client = client
    }

    /// What the next attempt finds in the journal.
    var state: RememberedState { states.values.last ?? .none }

    /// The session of the next attempt at an upload.
    func upload(key: String = "5d0c4b8e-0001-4000-8000-000000000000-0") -> UploadSession {
        UploadSession(
            client: client,
            key: key,
            state: state,
            remember: { self.states.record($0) },
            tell: { news in
                switch news {
                case .acknowledged(let count): self.acknowledged.record(count)
                case .sent(let count): self.sent.record(count)
                case .processing: self.processing.record(1)
                }
            },
            pause: { duration in
                self.pauses.record(duration)
                try Task.checkCancellation()
            }
        )
    }

    /// The session of the next attempt at the post.
    func post(
        key: String = "5d0c4b8e-0001-4000-8000-000000000000",
        mayHaveBeenSent: Bool = false,
        firstSent: WallTime? = nil
    ) -> PostSession {
        PostSession(
            client: client,
            key: key,
            mayHaveBeenSent: mayHaveBeenSent,
            firstSent: firstSent,
            state: state,
            remember: { self.states.record($0) }
        )
    }
}

/// Runs `body` with a client over a transport of its own.
func withPublishClient<Output>(
    now: @escaping @Sendable () -> WallTime = WallTime.now,
    _ body: (PublishClient) async throws -> Output
) async throws -> Output {
    try await withCurlTransport { try await body(PublishClient(HTTPClient($0), now: now)) }
}
