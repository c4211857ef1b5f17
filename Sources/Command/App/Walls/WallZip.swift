import Calotype
import CalotypeArchives
import CalotypeBulk
import CalotypeCore
import CalotypeHTTP
import CalotypeHTTPListener
import TaskFlow

/// The pictures of a wall as a zip file, which is created while it is sent.
///
/// The pipeline loads the pictures again, mostly from its caches. A picture that is no longer available is
/// recorded as failed in the report, which is the last member.
struct WallZip: Sendable {
    /// The number of pictures that wait in memory for their turn.
    private static let width = 8
    let wall: Wall
    let outcomes: [FetchOutcome]
    /// The time of the members, in seconds since 1970.
    let moment: Int

    /// - Throws: 503 if this build cannot write zip files.
    func response() throws(APIError) -> OutgoingResponse {
        do {
            try ZipStream.checkAvailability()
        } catch {
            throw APIError(503, "zip_unavailable", error.description)
        }
        return .download("application/zip", named: "calotype-wall.zip") { writer in
            try await write(to: writer)
        }
    }

    private func write(to writer: BodyWriter) async throws {
        let pictures = outcomes.filter { $0.status == .ok }.sorted { $0.index < $1.index }
        var told = outcomes.filter { $0.status != .ok }
        var zip = try ZipStream()
        let output = ZipOutput(writer: writer, moment: moment)
        let names = WallFileNames(wall.contents.items)
        try await withConcurrentResults(of: pictures, limit: Self.width, order: .input, name: "zip") {
            picture in
            guard let item = wall.item(picture.index) else {
                preconditionFailure("the wall has an outcome of entry \(picture.index) and no such entry")
            }
            return try await load(item)
        } body: { results in
            for await element in results {
                guard let (outcome, bytes) = try? element.result.get() else { throw CancellationError() }
                told.append(outcome)
                if let name = names.naming(outcome).file { try await output.add(name, bytes, to: &zip) }
            }
        }
        try Task.checkCancellation()
        told.sort { $0.index < $1.index }
        let report = WallReport(wall: wall, outcomes: told)
        try await output.add(WallReport.fileName, report.bytes, to: &zip)
        try zip.finish()
        try await writer.write(zip.take())
    }

    private func load(_ item: ListItem) async throws -> (FetchOutcome, [UInt8]) {
        do {
            let rendition = try await wall.services.pipeline.load(try wall.request(for: item))
            return (.loaded(item, rendition), rendition.bytes)
        } catch let error as CalotypeError {
            return (.failed(item, error), [])
        }
    }
}

/// Adds members to a zip file that is sent to a client.
private struct ZipOutput: Sendable {
    /// The number of bytes to add at a time.
    private static let piece = 256 << 10

    let writer: BodyWriter
    let moment: Int

    func add(_ name: String, _ bytes: [UInt8], to zip: inout ZipStream) async throws {
        try zip.begin(name, bytes: bytes.count, modified: moment)
        for start in stride(from: 0, to: bytes.count, by: Self.piece) {
            try zip.add(bytes[start..<min(start + Self.piece, bytes.count)])
            try await writer.write(zip.take())
        }
        try zip.end()
    }
}

/// The outcomes of a wall's pictures, in the format of `calotype fetch --report`, with captions if there are any.
///
/// Files have the names that they have in the zip file.
struct WallReport: Sendable {
    static let fileName = "report.jsonl"
    /// The number of lines to create at a time.
    private static let share = 100

    private let wall: Wall
    private let outcomes: [FetchOutcome]
    private let names: WallFileNames
    private let hasCaptions: Bool

    init(wall: Wall, outcomes: [FetchOutcome]) {
        self.wall = wall
        self.outcomes = outcomes
        names = WallFileNames(wall.contents.items)
        hasCaptions = wall.contents.items.contains { $0.caption != nil }
    }

    var bytes: [UInt8] { Array(lines(outcomes[...]).utf8) }

    var response: OutgoingResponse {
        let body: @Sendable (BodyWriter) async throws -> Void = { writer in
            for start in stride(from: 0, to: outcomes.count, by: Self.share) {
                let share = outcomes[start..<min(start + Self.share, outcomes.count)]
                try await writer.write(Array(lines(share).utf8))
            }
        }
        return .download("application/jsonl", named: "calotype-\(Self.fileName)", body)
    }

    private func lines(_ outcomes: ArraySlice<FetchOutcome>) -> String {
        outcomes.map { outcome in
            let captioned = hasCaptions ? wall.item(outcome.index) : nil
            return names.naming(outcome).reportLine(captioned: captioned) + "\n"
        }.joined()
    }
}

extension OutgoingResponse {
    /// Returns a response that a browser saves as a file.
    static func download(
        _ mediaType: String,
        named name: String,
        _ body: @escaping @Sendable (BodyWriter) async throws -> Void
    ) -> OutgoingResponse {
        let headers = HTTPHeaders([
            .init("Content-Type", mediaType),
            .init("Content-Disposition", "attachment; filename=\"\(name)\""),
            .init("Cache-Control", "no-store"),
            .init("X-Content-Type-Options", "nosniff"),
        ])
        return OutgoingResponse(200, headers, .written(length: nil, by: body))
    }
}
