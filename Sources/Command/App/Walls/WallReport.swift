import CalotypeBulk
import CalotypeHTTP
import CalotypeHTTPListener

/// What has become of a wall's pictures, as `calotype fetch --report` writes it.
struct WallReport: Sendable {
    static let fileName = "report.jsonl"
    /// The lines that are made at a time.
    private static let share = 100

    let outcomes: [FetchOutcome]

    var bytes: [UInt8] { Array(Self.lines(outcomes[...]).utf8) }

    var response: OutgoingResponse {
        let body: @Sendable (BodyWriter) async throws -> Void = { writer in
            for start in stride(from: 0, to: outcomes.count, by: Self.share) {
                let share = outcomes[start..<min(start + Self.share, outcomes.count)]
                try await writer.write(Array(Self.lines(share).utf8))
            }
        }
        return .download("application/jsonl", named: "calotype-\(Self.fileName)", body)
    }

    private static func lines(_ outcomes: ArraySlice<FetchOutcome>) -> String {
        outcomes.map { $0.reportLine() + "\n" }.joined()
    }
}

extension OutgoingResponse {
    /// An answer that a browser saves as a file.
    static func download(
        _ mediaType: String,
        named name: String,
        _ body: @escaping @Sendable (BodyWriter) async throws -> Void
    ) -> OutgoingResponse {
        let headers = HTTPHeaders([
            .init(unchecked: "Content-Type", mediaType),
            .init(unchecked: "Content-Disposition", "attachment; filename=\"\(name)\""),
            .init(unchecked: "Cache-Control", "no-store"),
            .init(unchecked: "X-Content-Type-Options", "nosniff"),
        ])
        return OutgoingResponse(200, headers, .written(length: nil, by: body))
    }
}
