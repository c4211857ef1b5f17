import CalotypeHTTP
import TaskFlow

/// Decides whose source may be loaded now; it has no locks or tasks.
///
/// A source is inside while at least one load of it is, or a download. All loads of a source enter together.
/// A source that a load has brought in counts at its host until it has arrived, and in total until its last
/// load has left; after a failed attempt it counts nowhere. Of the loads that wait at a host, the most urgent enters first, then the oldest. Hosts take
/// turns: of two whose first loads have equal priority, the one with fewer sources inside is next.
///
/// Each change returns the tickets of the loads that it lets in. Operations take logarithmic time.
struct SourceWindow {
    typealias Ticket = UInt64

    /// A number of sources.
    ///
    /// Work of low priority leaves a quarter of it free, and urgent work may exceed it by a quarter.
    struct Size {
        let count: Int

        func admits(_ priority: WorkPriority, beside others: Int) -> Bool {
            switch priority {
            case .veryLow, .low: others < max(count - count / 4, 1)
            case .normal: others < count
            case .high, .veryHigh: others < count + max(count / 4, 1)
            }
        }
    }

    private struct Source {
        let host: WebURL.Origin
        /// The number of loads inside.
        var loads = 0
        /// The number of downloads in progress, whoever needs them.
        var downloads = 0
        /// The loads that wait; none if the source is inside.
        var waiting: [Ticket] = []
        var countsAtHost = false
        var countsInTotal = false
        var isInside: Bool { loads > 0 || downloads > 0 }
    }

    private struct Host {
        /// Identifies it among the hosts whose first load may enter.
        let id: UInt64
        /// The number of sources that count.
        var inside = 0
        var waiting = PriorityHeap<Waiter>()
        /// The number of sources that loads wait for.
        var waitingSources = 0
    }

    private struct Waiter: HeapEntry {
        /// The ticket.
        let id: UInt64
        let source: SourceKey
        var urgency: Urgency

        func precedes(_ other: Waiter) -> Bool {
            urgency == other.urgency ? id < other.id : urgency > other.urgency
        }
    }

    /// A host that has room for its first load.
    private struct Offer: HeapEntry {
        let id: UInt64
        let host: WebURL.Origin
        let priority: WorkPriority
        let inside: Int
        let ticket: Ticket

        func precedes(_ other: Offer) -> Bool {
            if priority != other.priority { return priority > other.priority }
            return inside == other.inside ? ticket < other.ticket : inside < other.inside
        }
    }

    private let perHost: Size
    private let total: Size
    private var sources: [SourceKey: Source] = [:]
    private var hosts: [WebURL.Origin: Host] = [:]
    private var ready = PriorityHeap<Offer>()
    /// The number of sources that count in total.
    private var inside = 0
    private var lastHost: UInt64 = 0

    init(perHost: Int, total: Int) {
        self.perHost = Size(count: perHost)
        self.total = Size(count: total)
    }

    /// The number of sources that loads wait for, for each host with at least one.
    var waiting: [WebURL.Origin: Int] {
        hosts.mapValues(\.waitingSources).filter { $0.value > 0 }
    }

    /// Whether nothing is inside or waits.
    var isEmpty: Bool { sources.isEmpty && hosts.isEmpty && ready.count == 0 && inside == 0 }

    /// Lets a load in if its source is inside, or if there is room; `nil` if it must wait.
    mutating func enter(_ key: SourceKey, at host: WebURL.Origin, _ priority: WorkPriority) -> [Ticket]? {
        if sources[key]?.isInside == true {
            sources[key]?.loads += 1
            return []
        }
        // Where loads of this priority or a higher one wait, there is no room for this one.
        guard perHost.admits(priority, beside: hosts[host]?.inside ?? 0),
            total.admits(priority, beside: inside)
        else { return nil }
        bringIn(key, at: host)
        sources[key]?.loads += 1
        return takeWaiters(of: key)
    }

    /// Queues a load that could not enter; tickets are numbered by arrival.
    mutating func wait(
        _ ticket: Ticket,
        for key: SourceKey,
        at host: WebURL.Origin,
        _ urgency: Urgency
    ) -> [Ticket] {
        if sources[key]?.isInside == true {
            sources[key]?.loads += 1
            return [ticket]
        }
        addHost(host)
        if sources[key, default: Source(host: host)].waiting.isEmpty { hosts[host]?.waitingSources += 1 }
        sources[key, default: Source(host: host)].waiting.append(ticket)
        hosts[host]?.waiting.insert(Waiter(id: ticket, source: key, urgency: urgency))
        return settle(host)
    }

    /// Removes a load that waits; `nil` if it does not.
    mutating func cancel(_ ticket: Ticket, for key: SourceKey) -> [Ticket]? {
        guard let host = sources[key]?.host, let index = sources[key]?.waiting.firstIndex(of: ticket) else {
            return nil
        }
        sources[key]?.waiting.remove(at: index)
        if sources[key]?.waiting.isEmpty == true {
            hosts[host]?.waitingSources -= 1
            sources[key] = nil
        }
        hosts[host]?.waiting.remove(ticket)
        return settle(host)
    }

    /// Moves a load that waits to another urgency.
    mutating func change(_ ticket: Ticket, for key: SourceKey, to urgency: Urgency) -> [Ticket] {
        guard let host = sources[key]?.host,
            hosts[host]?.waiting.update(ticket, { $0.urgency = urgency }) == true
        else { return [] }
        return settle(host)
    }

    /// Ends a load that was inside.
    mutating func leave(_ key: SourceKey) -> [Ticket] {
        guard let host = sources[key]?.host else { return [] }
        sources[key]?.loads -= 1
        if sources[key]?.loads == 0 {
            uncountAtHost(key)
            uncountInTotal(key)
        }
        return forgetAndSettle(key, host)
    }

    /// Begins a download, for whatever purpose, and lets in all loads that wait for it.
    mutating func begin(_ key: SourceKey, at host: WebURL.Origin) -> [Ticket] {
        sources[key, default: Source(host: host)].downloads += 1
        return takeWaiters(of: key)
    }

    /// Gives the place of a source to others; the source stays inside.
    mutating func release(_ key: SourceKey) -> [Ticket] {
        guard let host = sources[key]?.host else { return [] }
        uncountAtHost(key)
        uncountInTotal(key)
        return forgetAndSettle(key, host)
    }

    /// Ends a download.
    mutating func end(_ key: SourceKey) -> [Ticket] {
        guard let host = sources[key]?.host else { return [] }
        sources[key]?.downloads -= 1
        uncountAtHost(key)
        return forgetAndSettle(key, host)
    }

    private mutating func addHost(_ host: WebURL.Origin) {
        guard hosts[host] == nil else { return }
        lastHost += 1
        hosts[host] = Host(id: lastHost)
    }

    /// Counts a source that was not inside.
    private mutating func bringIn(_ key: SourceKey, at host: WebURL.Origin) {
        addHost(host)
        hosts[host]?.inside += 1
        inside += 1
        sources[key, default: Source(host: host)].countsAtHost = true
        sources[key]?.countsInTotal = true
        if hosts[host]?.waiting.first != nil { offer(host) }
    }

    private mutating func uncountAtHost(_ key: SourceKey) {
        guard let source = sources[key], source.countsAtHost else { return }
        sources[key]?.countsAtHost = false
        hosts[source.host]?.inside -= 1
    }

    private mutating func uncountInTotal(_ key: SourceKey) {
        guard sources[key]?.countsInTotal == true else { return }
        sources[key]?.countsInTotal = false
        inside -= 1
    }

    /// Lets in the loads that wait for a source that is inside.
    private mutating func takeWaiters(of key: SourceKey) -> [Ticket] {
        guard let source = sources[key], !source.waiting.isEmpty else { return [] }
        sources[key]?.waiting = []
        sources[key]?.loads += source.waiting.count
        hosts[source.host]?.waitingSources -= 1
        for ticket in source.waiting { hosts[source.host]?.waiting.remove(ticket) }
        offer(source.host)
        return source.waiting
    }

    private mutating func forgetAndSettle(_ key: SourceKey, _ host: WebURL.Origin) -> [Ticket] {
        if let source = sources[key], !source.isInside, source.waiting.isEmpty { sources[key] = nil }
        return settle(host)
    }

    /// Lets in those who may enter after a change at `host`.
    private mutating func settle(_ host: WebURL.Origin) -> [Ticket] {
        offer(host)
        var admitted: [Ticket] = []
        while let offer = ready.first, total.admits(offer.priority, beside: inside),
            let next = hosts[offer.host]?.waiting.first
        {
            bringIn(next.source, at: offer.host)
            admitted += takeWaiters(of: next.source)
        }
        return admitted
    }

    /// Adds the host to those whose first load may enter, changes its place there, or removes it.
    private mutating func offer(_ name: WebURL.Origin) {
        guard let host = hosts[name] else { return }
        guard let first = host.waiting.first,
            perHost.admits(first.urgency.priority, beside: host.inside)
        else {
            ready.remove(host.id)
            if host.waiting.count == 0, host.inside == 0 { hosts[name] = nil }
            return
        }
        let offer = Offer(
            id: host.id,
            host: name,
            priority: first.urgency.priority,
            inside: host.inside,
            ticket: first.id
        )
        if !ready.update(host.id, { $0 = offer }) { ready.insert(offer) }
    }
}
