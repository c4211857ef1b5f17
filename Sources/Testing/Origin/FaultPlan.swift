public import CalotypeCore
import CalotypeSamplePictures

/// Faults for a share of the pictures, always the same ones.
///
/// Written as `latency=50ms..100ms,404=2%,cut=1%`: entries separated by commas, each at most once. `latency`
/// is a duration or a range of durations in `ms` or `s`. Every other entry is a fault and its share of the
/// pictures in percent. The fault is a status of 400 to 599, or a name of ``Fault``. The shares add up to at
/// most 100 %.
public struct FaultPlan: Hashable, Sendable {
    /// A kind of fault.
    ///
    /// Each is also available under a path of its own.
    public enum Fault: Hashable, Sendable {
        /// An error status, 400 to 599.
        case status(Int)
        /// A fault identified by name.
        case named(Name)

        /// The named faults.
        public enum Name: String, CaseIterable, Sendable {
            case cut, stall, half, html, reset, hang, garbage, empty, loop, slow
            case hangHeaders = "hang-headers"
            case wrongType = "wrong-type"
            case cutFirst = "cut-first"
        }
    }

    /// A fault and the fraction of the pictures that it affects.
    public struct Share: Hashable, Sendable {
        /// The fault.
        public let fault: Fault
        /// From 0 for none to 1 for all.
        public let share: Double
    }

    /// The delay before each response, evenly distributed.
    public var latency: ClosedRange<Duration> = .zero ... .zero
    /// The faults.
    ///
    /// A picture has at most one.
    public var shares: [Share] = []
    /// The seed.
    ///
    /// Another seed affects other pictures.
    public var seed: UInt64 = 1

    /// Creates a plan without faults.
    public init() {}

    /// Returns the fault for the picture at `path`.
    ///
    /// Equal paths and seeds give equal results.
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
    /// Returns the path that applies the fault to the picture called `name`.
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

    /// The word for the fault in a plan.
    var word: String {
        switch self {
        case .status(let status): "\(status)"
        case .named(let name): name.rawValue
        }
    }
}

extension FaultPlan {
    /// Parses a plan.
    ///
    /// Empty text is a plan without faults.
    ///
    /// - Parameters:
    ///   - text: such as `latency=50ms..100ms,404=2%,cut=1%`.
    ///   - seed: another seed affects other pictures.
    /// - Throws: `invalid_request` with a message that names the entry and the allowed values.
    public init(parsing text: String, seed: UInt64 = 1) throws(CalotypeError) {
        self.init()
        self.seed = seed
        var seen: Set<Substring> = []
        for entry in text.split(separator: ",") {
            let sides = entry.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard sides.count == 2 else { throw Self.error(entry, "an entry must be NAME=VALUE") }
            guard seen.insert(sides[0]).inserted else {
                throw Self.error(entry, "each name can be used only once")
            }
            if sides[0] == "latency" {
                latency = try Self.durations(sides[1], entry)
            } else {
                shares.append(
                    Share(fault: try Self.fault(sides[0], entry), share: try Self.share(sides[1], entry))
                )
            }
        }
        let total = shares.reduce(0) { $0 + $1.share }
        guard total <= 1.000_001 else {
            throw CalotypeError(.invalidRequest, "the faults add up to more than 100 %", stage: .request)
        }
    }

    private static func fault(_ word: Substring, _ entry: Substring) throws(CalotypeError) -> Fault {
        if let status = Int(word) {
            guard (400...599).contains(status) else { throw error(entry, "a status must be 400 to 599") }
            return .status(status)
        }
        guard let name = Fault.Name(rawValue: String(word)) else {
            let names = Fault.Name.allCases.map(\.rawValue).joined(separator: ", ")
            throw error(entry, "a fault must be a status from 400 to 599, latency or one of \(names)")
        }
        return .named(name)
    }

    private static func share(_ text: Substring, _ entry: Substring) throws(CalotypeError) -> Double {
        guard text.hasSuffix("%"), let percent = Double(text.dropLast()), (0...100).contains(percent) else {
            throw error(entry, "a share must be a number from 0 to 100 with a percent sign")
        }
        return percent / 100
    }

    private static func durations(
        _ text: Substring,
        _ entry: Substring
    ) throws(CalotypeError) -> ClosedRange<Duration> {
        let dots = text.indices.first { text[$0...].hasPrefix("..") }
        let ends = dots.map { [text[..<$0], text[$0...].dropFirst(2)] } ?? [text]
        let durations = ends.compactMap(duration)
        guard durations.count == ends.count, let first = durations.first, let last = durations.last,
            first <= last
        else {
            throw error(entry, "a latency must be a time such as 50ms, 1.5s or 50ms..100ms, at most one hour")
        }
        return first...last
    }

    private static func duration(_ text: Substring) -> Duration? {
        let (digits, unit): (Substring, Double) =
            text.hasSuffix("ms") ? (text.dropLast(2), 0.001) : (text.dropLast(), 1)
        guard text.hasSuffix("s"), let number = Double(digits), number >= 0, number * unit <= 3600 else {
            return nil
        }
        return .seconds(number * unit)
    }

    private static func error(_ entry: Substring, _ rule: String) -> CalotypeError {
        CalotypeError(.invalidRequest, "\"\(entry)\" in the faults: \(rule)", stage: .request)
    }
}
