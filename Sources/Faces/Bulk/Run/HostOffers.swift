/// The hosts whose first entries may begin, now or at some time.
struct HostOffers {
    private struct Offer {
        let host: String
        /// The index of the entry.
        let rank: Int
        let time: Duration
    }

    /// Sorted by the indices of the entries, the first entry of the list last.
    private var ready: [Offer] = []
    /// Those of ``ready`` whose hosts had not answered when they were offered.
    private var strangers: [Offer] = []
    /// Sorted by time, the next one last.
    private var later: [Offer] = []

    /// When the next entry may begin that may not now.
    var alarm: Duration? { later.last?.time }
    /// Whether only those that have answered may begin, and now.
    var hasOnlyKnown: Bool { later.isEmpty && strangers.isEmpty }

    /// Adds a host whose first entry, the one at index `rank`, may begin now.
    mutating func insert(_ host: String, rank: Int, isStrange: Bool) {
        let offer = Offer(host: host, rank: rank, time: .zero)
        if isStrange {
            strangers.insert(offer, at: Self.place(in: strangers) { $0.rank > rank })
        } else {
            ready.insert(offer, at: Self.place(in: ready) { $0.rank > rank })
        }
    }

    /// Adds a host whose first entry, the one at index `rank`, may begin at `time`.
    mutating func insert(_ host: String, rank: Int, at time: Duration) {
        let offer = Offer(host: host, rank: rank, time: time)
        later.insert(offer, at: Self.place(in: later) { $0.time > time })
    }

    /// Removes the host with the first entry of the list, among those that may begin now.
    ///
    /// - Parameter withStrangers: Whether it may be one that had not answered yet.
    /// - Returns: The host; `nil` if there is none.
    mutating func popReady(withStrangers: Bool) -> String? {
        guard withStrangers, let stranger = strangers.last else { return ready.popLast()?.host }
        if let first = ready.last, first.rank < stranger.rank { return ready.popLast()?.host }
        return strangers.popLast()?.host
    }

    /// Removes a host whose time has come.
    mutating func popDue(at now: Duration) -> String? {
        guard let offer = later.last, offer.time <= now else { return nil }
        return later.removeLast().host
    }

    /// Removes a host that may begin later; `false` if there is none.
    mutating func removeLater(_ host: String) -> Bool { Self.remove(host, from: &later) }

    /// Removes a host that had not answered; `false` if there is none.
    mutating func removeStranger(_ host: String) -> Bool { Self.remove(host, from: &strangers) }

    /// Removes all offers of a host.
    mutating func remove(_ host: String) {
        _ =
            Self.remove(host, from: &ready) || Self.remove(host, from: &strangers)
            || Self.remove(host, from: &later)
    }

    private static func remove(_ host: String, from offers: inout [Offer]) -> Bool {
        guard let place = offers.firstIndex(where: { $0.host == host }) else { return false }
        offers.remove(at: place)
        return true
    }

    /// Returns the number of offers at the beginning for which `precedes` is true.
    private static func place(in offers: [Offer], _ precedes: (Offer) -> Bool) -> Int {
        var (low, high) = (0, offers.count)
        while low < high {
            let middle = (low + high) / 2
            if precedes(offers[middle]) { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
