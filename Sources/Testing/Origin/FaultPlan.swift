import CalotypeSamplePictures

/// What goes wrong with a share of the pictures, the same ones each time.
///
/// Written as `latency=50ms..100ms,404=2%,cut=1%`: entries separated by commas, each once. `latency` is a duration or a
/// range of durations in `ms` or `s`. All others are a fault and its share of the pictures in percent: a status of 400
/// to 599, or a name of ``Fault``. The shares add up to at most 100 %.
public struct FaultPlan: Hashable, Sendable {
    /// A kind of fault; each is a misbehaviour that can also be had under a path of its own.
    public enum Fault: Hashable, Sendable {
        /// An error status, 400 to 599.
        case status(Int)
        /// A misbehaviour by name.
        case named(Name)

        /// The faults that have a name.
        public enum Name: String, CaseIterable, Sendable {
            case cut, stall, half, html, reset, hang, garbage, empty, loop, slow
            case hangHeaders = "hang-headers"
            case wrongType = "wrong-type"
            case cutFirst = "cut-first"
        }
    }

    /// A fault and how many pictures of 1 it takes.
    public struct Share: Hashable, Sendable {
        /// What goes wrong.
        public let fault: Fault
        /// 0 for none to 1 for all.
        public let share: Double
    }

    /// How long each response is held back; evenly spread.
    public var latency: ClosedRange<Duration> = .zero ... .zero
    /// The faults; a picture has at most one.
    public var shares: [Share] = []
    /// Another seed hits other pictures.
    public var seed: UInt64 = 1

    /// Creates a plan in which nothing goes wrong.
    public init() {}

    /// What happens to the picture at `path`: the same for the same path and seed.
    func verdict(for path: String) -> (latency: Duration, fault: Fault?) {
        var random = SeededRandom(seed: seed, text: path)
        var draw = random.unit()
        let extra = (latency.upperBound - latency.lowerBound) * random.unit()
        for share in shares {
            if draw < share.share { return (latency.lowerBound + extra, share.fault) }
            draw -= share.share
        }
        return (latency.lowerBound + extra, nil)
    }
}

extension FaultPlan.Fault {
    /// The path that shows the fault on the picture called `name`.
    func path(for name: String) -> String {
        switch self {
        case .status(let status): "/status/\(status)"
        case .named(.cut): "/cut/50/\(name)"
        case .named(.stall): "/stall/50/\(name)"
        case .named(.cutFirst): "/cut-first/1/65536/\(name)"
        case .named(.slow): "/slow/500/\(name)"
        case .named(.hang), .named(.hangHeaders), .named(.garbage), .named(.empty), .named(.loop): "/\(word)"
        case .named: "/\(word)/\(name)"
        }
    }

    /// The word that stands for it in a plan.
    var word: String {
        switch self {
        case .status(let status): "\(status)"
        case .named(let name): name.rawValue
        }
    }
}
