import Calotype
import CalotypeCodec
import CalotypeCore
import CalotypeHTTPListener

/// How the descriptors of the process are divided between the connections of clients and what loads need.
struct DescriptorBudget {
    /// The connections of clients, and to origins, at a time.
    private(set) var clients: Int
    private(set) var origins: Int
    /// What was changed, for people; `nil` where everything had room.
    private(set) var notice: String?

    private let limit: Int
    private let workers: Int

    /// The log, caches, event counters and pipes of a server, with something to spare.
    private static let own = 96
    /// The pipes and sockets of a worker process.
    private static let perWorker = 8
    /// The fewest connections of either side that are of use.
    private static let fewest = 16

    /// Divides `limit` descriptors.
    ///
    /// Where they are too few, what the configuration leaves at its default becomes less.
    ///
    /// - Throws: `invalid_request` where what was asked for does not fit.
    init(_ configuration: ServerConfiguration, limit: Int) throws(CalotypeError) {
        let defaults = ServerConfiguration()
        clients = configuration.listener.connections
        origins = configuration.pipeline.connections
        workers = configuration.pipeline.codec.threads
        self.limit = limit
        guard needed > limit else { return }
        let isFree = (
            clients: clients == defaults.listener.connections,
            origins: origins == defaults.pipeline.connections
        )
        switch isFree {
        case (true, true):
            origins = max((limit - overhead) * 4 / 13, Self.fewest)
            clients = max(limit - overhead - forLoads, Self.fewest)
        case (true, false): clients = max(limit - overhead - forLoads, Self.fewest)
        case (false, true): origins = max((limit - overhead - clients) * 4 / 5, Self.fewest)
        case (false, false): break
        }
        guard needed <= limit else { throw tooFew }
        notice = """
            the limit of open files is \(limit): at most \(clients) clients at a time and \(origins) connections to origins; \
            raise it for more (ulimit -n, or LimitNOFILE= of a systemd unit)
            """
    }

    /// The descriptors that clients never take.
    var reserved: Int { overhead + forLoads }

    /// Each load has a connection, and one of four a file or a pipe besides.
    private var forLoads: Int { origins + origins / 4 }
    private var overhead: Int { Self.own + Self.perWorker * workers }
    private var needed: Int { clients + reserved }

    private var tooFew: CalotypeError {
        CalotypeError(
            .invalidRequest,
            """
            \(clients) clients (--max-clients), \(origins) connections to origins (--connections) and \(workers) workers take \
            \(needed) open files, and the limit is \(limit): raise it (ulimit -n, or LimitNOFILE= of a systemd unit), or give \
            fewer
            """,
            stage: .request
        )
    }
}

extension ServerConfiguration {
    /// The configuration within the limit of descriptors, some of which are kept for loads; trouble goes to ``onNotice``.
    ///
    /// - Throws: `invalid_request` where what was asked for does not fit.
    func fitted(to limit: Int = DescriptorLimit.current) throws(CalotypeError) -> ServerConfiguration {
        let budget = try DescriptorBudget(self, limit: limit)
        var configuration = self
        configuration.listener.connections = budget.clients
        configuration.listener.reservedDescriptors = max(listener.reservedDescriptors, budget.reserved)
        configuration.pipeline.connections = budget.origins
        if let notice = budget.notice { onNotice?(notice) }
        return configuration
    }
}
