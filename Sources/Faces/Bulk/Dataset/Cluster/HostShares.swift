/// What one of several processes may send a host, at most.
struct HostShare: Hashable, Sendable {
    /// `nil` for no limit besides the host's pace.
    var requestsPerSecond: Double?
    /// Number of requests at a time; `nil` for no limit besides the host's pace.
    var connections: Int?

    /// The least time between two requests.
    var interval: Duration {
        requestsPerSecond.map { .seconds(1 / max($0, 0.001)) } ?? .zero
    }
}

/// The shares of hosts that several processes send requests to.
struct HostShares: Hashable, Sendable {
    /// Of hosts that are not in ``hosts``.
    var common = HostShare()
    var hosts: [String: HostShare] = [:]

    subscript(_ host: String) -> HostShare { hosts[host] ?? common }
}

/// The entries of a host.
struct HostDemand: Hashable, Sendable {
    let host: String
    /// Number of entries that wait.
    let waiting: Int
    /// Number of entries that have begun.
    let begun: Int

    var count: Int { waiting + begun }
}
