import CalotypeBulk
import CalotypeCommandLineKit
import CalotypeCore
import CalotypeFiles
import CalotypeHTTP
import CalotypePublish

/// The bucket of a dataset whose OUTPUT is `s3://BUCKET/PREFIX`, or a URL as `publish` takes it.
struct DatasetBucket: Sendable {
    private let address: DestinationAddress
    /// The folder for what is not uploaded yet, and for what is needed to continue.
    let workFolder: String

    /// Reads the address; `nil` for a folder.
    ///
    /// - Throws: ``BulkError`` if it is no address of a bucket, or if there is no place for the work folder.
    init?(_ output: String, _ arguments: ParsedArguments? = nil) throws(BulkError) {
        guard Self.isAddress(output) else { return nil }
        let path = output.hasPrefix("s3://") ? output.dropFirst("s3://".count) : ""
        let hasBucket = !path.isEmpty && path.first != "/"
        guard hasBucket || output.hasPrefix("s3+") else {
            throw BulkError("\(output) is neither a folder nor s3://BUCKET/PREFIX")
        }
        do throws(CalotypeError) {
            address = try DestinationAddress(
                Self.full(output),
                allowsHTTP: arguments?[PublishOptions.allowHTTP] ?? true
            )
        } catch {
            throw BulkError("\(output): \(error.message)")
        }
        if let folder = arguments?[DatasetCommandOptions.work] {
            workFolder = folder
        } else if let state = PublishOptions.stateFolder {
            workFolder = "\(state)/dataset-\(StableHash.hexadecimal(address.description))"
        } else {
            throw BulkError("no home directory for unfinished shards; set a folder with --work")
        }
    }

    /// Throws if `folder` is the address of a bucket; `advice` says why and what to do.
    static func refuse(_ folder: String, _ advice: String) throws(BulkError) {
        if isAddress(folder) { throw BulkError("\(folder) is a bucket: \(advice)") }
    }

    /// Runs `body` with the bucket as a store, and ends its connections.
    func withStore<Output>(
        _ transport: CurlConfiguration,
        _ body: (any ShardStoring) async throws -> Output
    ) async throws -> Output {
        let destination = try destination()
        return try await withCurlTransport(transport) { transport in
            let client = PublishClient(HTTPClient(transport))
            return try await body(BucketStore(address: "\(address)", store: S3Store(destination, client)))
        }
    }

    private func destination() throws(BulkError) -> S3Destination {
        do throws(CalotypeError) {
            let credentials = try PublishCredentials(environment: EnvironmentVariables.all)
            if let keys = credentials.keys {
                let region = credentials.region ?? Self.usualRegion
                return try S3Destination(address.url, region: region, credentials: keys)
            }
        } catch {
            throw BulkError(error.message)
        }
        throw BulkError("\(address) needs keys: set CALOTYPE_ACCESS_KEY and CALOTYPE_SECRET_KEY")
    }

    /// Whether this is a URL.
    private static func isAddress(_ text: String) -> Bool {
        guard let end = text.firstRange(of: "://")?.lowerBound else { return false }
        return text[..<end].allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "+") }
    }

    /// Returns the address with its server, and without slashes at its end.
    private static func full(_ output: String) -> String {
        var text = output
        while text.hasSuffix("/") { text.removeLast() }
        guard text.hasPrefix("s3://") else { return text }
        let server =
            ["AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL"].lazy.compactMap(EnvironmentVariables.value).first
            ?? "https://s3.\(region).amazonaws.com"
        let slash = server.hasSuffix("/") ? "" : "/"
        return "s3+\(server)\(slash)\(text.dropFirst("s3://".count))"
    }

    private static let usualRegion = "us-east-1"

    private static var region: String {
        // A problem with the other variables is reported when they are needed.
        (try? PublishCredentials(environment: EnvironmentVariables.all))?.region ?? usualRegion
    }
}

/// A bucket as the store of a dataset's shards.
private struct BucketStore: ShardStoring {
    let address: String
    let store: S3Store

    func check() async throws {
        do {
            try await store.check()
        } catch let error as CalotypeError {
            throw BulkError("\(address) cannot be used: \(error.message)")
        }
    }

    func store(_ path: String, as name: String) async throws {
        guard try await store.store(path, as: name) else {
            throw BulkError(
                "\(address)/\(name) exists and has other contents; nothing was overwritten, so give another prefix"
            )
        }
    }
}
