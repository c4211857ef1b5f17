import CalotypeCore
import CalotypeFiles

/// A message to a worker.
///
/// An order is a JSON object on a line, with the kind in `op`. Unknown members and kinds are ignored.
enum WorkerOrder: Equatable {
    /// Make this shard.
    case shard(String)
    /// Forget this shard.
    case cancel(String)
    /// Continue for this time.
    case lease(Duration)
    /// Send hosts no more than this.
    case budget(HostShares, number: Int)
    /// Send this host nothing for some time.
    case block(host: String, Duration)
    /// Finish the shards that were given, and exit.
    case drain

    /// Maximum length of a line in bytes.
    static let limit = 1 << 20
    /// The longest time that an order can name, in seconds.
    private static let longest = 3600.0

    /// Reads a line; `nil` if its kind is unknown.
    ///
    /// - Throws: ``BulkError`` if it is no JSON object, or lacks a value.
    init?(_ line: [UInt8]) throws(BulkError) {
        let names = [
            "op", "id", "seconds", "host", "default_rate", "default_connections", "rate", "connections",
            "number",
        ]
        let values = try JSONRow.fields(names, in: line)
        switch values[0].text {
        case "shard": self = .shard(try Self.text(values[1], "id"))
        case "cancel": self = .cancel(try Self.text(values[1], "id"))
        case "lease": self = .lease(try Self.seconds(values[2]))
        case "block": self = .block(host: try Self.text(values[3], "host"), try Self.seconds(values[2]))
        case "drain": self = .drain
        case "budget":
            var shares = HostShares()
            shares.common = HostShare(
                requestsPerSecond: Self.number(values[4]),
                connections: Self.number(values[5]).map { Int(clamping: $0) }
            )
            for (host, rate) in try Self.members(values[6]) {
                shares.hosts[host, default: HostShare()].requestsPerSecond = rate
            }
            for (host, count) in try Self.members(values[7]) {
                shares.hosts[host, default: HostShare()].connections = Int(clamping: count)
            }
            self = .budget(shares, number: Self.number(values[8]).map { Int(clamping: $0) } ?? 0)
        case nil: throw BulkError("an order has no op")
        default: return nil
        }
    }

    private static func text(_ field: ListField, _ name: String) throws(BulkError) -> String {
        guard let text = field.text else { throw BulkError("an order has no \(name)") }
        return text
    }

    private static func number(_ field: ListField) -> Double? {
        field.text.flatMap { Double($0) }.flatMap { $0 >= 0 && $0.isFinite ? $0 : nil }
    }

    private static func seconds(_ field: ListField) throws(BulkError) -> Duration {
        guard let number = number(field) else { throw BulkError("an order has no seconds") }
        return .seconds(min(number, longest))
    }

    private static func members(_ field: ListField) throws(BulkError) -> [(String, Double)] {
        guard let text = field.text else { return [] }
        return try JSONRow.members(in: Array(text.utf8)).compactMap { name, value in
            number(value).map { (name, $0) }
        }
    }
}

/// What a worker reports: a JSON object on a line, with the kind in `event`.
enum WorkerReport {
    /// Why a shard was not made.
    enum FailClass: String {
        /// There was no lease, or no session that could make it.
        case lease
        /// Something could not be written.
        case storage
        /// The plan lacks it, or differs from the folder; another try fails too.
        case plan
    }

    case hello(version: String, slots: Int, DatasetPlan)
    case heartbeat(lease: Duration)
    /// With the number of the last budget that the hosts' entries follow.
    case progress(FetchProgress, shards: [(name: String, ended: Int)], hosts: [HostDemand], budget: Int)
    case backoff(host: String, reason: String, Duration?)
    case done(String)
    case fail(String, FailClass, reason: String)
    case problem(String)
    case bye

    var line: String {
        var object = JSONObject()
        switch self {
        case .hello(let version, let slots, let plan):
            object.add("event", string: "hello")
            object.add("protocol", 1)
            object.add("version", string: version)
            object.add("slots", slots)
            object.add("shards", plan.shards)
            object.add("samples", plan.samples)
        case .heartbeat(let lease):
            object.add("event", string: "heartbeat")
            object.add("lease_s", lease.inSeconds)
        case .progress(let progress, let shards, let hosts, let budget):
            object.add("event", string: "progress")
            object.add("ok", progress.succeeded)
            object.add("failed", progress.failed)
            object.add("active", progress.active)
            object.add("budget", budget)
            object.add("bytes_in", progress.bytesIn.bytes)
            object.add("images_per_second", progress.imagesPerSecond)
            var counts = JSONObject()
            for (name, ended) in shards { counts.add(name, ended) }
            object.add("shards", counts)
            object.add(
                "hosts",
                objects: hosts.map { host in
                    var object = JSONObject()
                    object.add("host", string: host.host)
                    object.add("waiting", host.waiting)
                    object.add("begun", host.begun)
                    return object
                }
            )
        case .backoff(let host, let reason, let pause):
            object.add("event", string: "backoff")
            object.add("host", string: host)
            object.add("reason", string: reason)
            object.add("seconds", pause?.inSeconds)
        case .done(let shard):
            object.add("event", string: "done")
            object.add("id", string: shard)
        case .fail(let shard, let kind, let reason):
            object.add("event", string: "fail")
            object.add("id", string: shard)
            object.add("class", string: kind.rawValue)
            object.add("reason", string: reason)
            object.add("retryable", kind != .plan)
        case .problem(let message):
            object.add("event", string: "problem")
            object.add("message", string: message)
        case .bye: object.add("event", string: "bye")
        }
        return object.text
    }
}
