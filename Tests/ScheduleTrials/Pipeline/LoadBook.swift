import CalotypeCore
import TaskFlow
import TaskFlowTesting

/// The sequential model of an origin's pictures and their loads: what each load may end with.
///
/// A load begins here in the step in which it asks, and ends in the step in which its task goes on with the answer.
final class LoadBook: Sendable {
    enum Outcome: Sendable, Equatable {
        case shown(TrialPictures.Print)
        case failed(ErrorCode)
        case cancelled
        case other(String)

        init(_ result: Result<PixelSize, any Error>) {
            switch result {
            case .success(let size):
                self = TrialPictures.Print(size).map { .shown($0) } ?? .other("a picture of \(size)")
            case .failure(is CancellationError): self = .cancelled
            case .failure(let error as CalotypeError): self = .failed(error.code)
            case .failure(let failure as CalotypeError): self = .failed(failure.code)
            case .failure(let error): self = .other("\(error)")
            }
        }
    }

    /// What loads have in common that may share a download.
    struct Question: Hashable, Sendable {
        let name: Int
        let policy: CachePolicy
    }

    /// Loads of one question that overlap, from the first to the last.
    private struct Group {
        private var active = 0
        /// What the origin had when the first began.
        private(set) var version = 0
        private(set) var failures = 0

        mutating func join(_ version: Int, _ failures: Int) {
            if active == 0 { (self.version, self.failures) = (version, failures) }
            active += 1
        }

        mutating func leave() { active -= 1 }
    }

    private struct Load {
        let question: Question
        let picture: String?
        let isSteady: Bool
        /// The oldest version that it may show, and why.
        let least: (version: Int, reason: String)
        let failures: Int
        var hasEnded = false
    }

    private struct State {
        var groups: [Question: Group] = [:]
        /// Those of each name that store what they make, and so may take what another of them has stored meanwhile.
        var storing: [Int: Group] = [:]
        var loads: [Int: Load] = [:]
        var cancelled: Set<Int> = []
        /// The newest version that a reload has shown, by name.
        var reloaded: [Int: Int] = [:]
        /// The same, by picture.
        var reloadedPictures: [String: Int] = [:]
        /// The newest version that was shown, by picture.
        var shown: [String: Int] = [:]
        var violation: String?
    }

    private let origin: ChangingOrigin
    private let asksAlways: Bool
    private let state = Guarded(State())

    /// Creates the model; `asksAlways` if nothing may be used without asking the origin.
    init(_ origin: ChangingOrigin, asksAlways: Bool) {
        self.origin = origin
        self.asksAlways = asksAlways
    }

    /// The newest version that a reload of `name` has shown; only of one picture of it, if that is given.
    func reloaded(_ name: Int, picture: String?) -> Int {
        state.withLock { state in
            (picture.map { state.reloadedPictures[$0] } ?? state.reloaded[name]) ?? 0
        }
    }

    /// A load begins; of those of one picture that are `steady` none shows an older version than one that ended before.
    func begin(_ id: Int, _ question: Question, picture: String? = nil, isSteady: Bool = false) {
        let (version, failures) = (origin.version(question.name), origin.failureCount(question.name))
        state.withLock { state in
            state.groups[question, default: Group()].join(version, failures)
            if question.policy.writes {
                state.storing[question.name, default: Group()].join(version, failures)
            }
            let isOwn = question.policy == .reload || question.policy == .noStore
            let group = (isOwn ? state.groups[question] : state.storing[question.name]) ?? Group()
            var least = (state.reloaded[question.name] ?? 0, "a reload had shown before")
            if isSteady, let picture, let shown = state.shown[picture], shown > least.0 {
                least = (shown, "was shown before")
            }
            if asks(question.policy), group.version > least.0 {
                least = (group.version, "the origin had when the first of the loads began that may share")
            }
            state.loads[id] = Load(
                question: question,
                picture: picture,
                isSteady: isSteady,
                least: least,
                failures: group.failures
            )
        }
    }

    /// Somebody cancels a load.
    func cancel(_ id: Int) {
        state.withLock { _ = $0.cancelled.insert(id) }
    }

    /// A load ends.
    func end(_ id: Int, _ outcome: Outcome) {
        scheduleNote("load \(id) ends: \(outcome)")
        state.withLock { state in
            guard let load = state.loads[id], !load.hasEnded else {
                state.violation = state.violation ?? "load \(id) ended twice"
                return
            }
            state.loads[id]?.hasEnded = true
            // What was cancelled may hold the source for a while, and others may then share it.
            let isCancelled = state.cancelled.contains(id)
            if !isCancelled {
                state.groups[load.question]?.leave()
                if load.question.policy.writes { state.storing[load.question.name]?.leave() }
            }
            if let violation = judge(load, outcome, isCancelled, &state) {
                state.violation = state.violation ?? "load \(id) of \(load.question.name) \(violation)"
            }
        }
    }

    /// Throws the first thing that was wrong, also that a load has not ended.
    func check() throws {
        try state.withLock { state in
            if let violation = state.violation { throw ScheduleError(violation) }
            let open = state.loads.filter { !$0.value.hasEnded }.keys.sorted()
            guard open.isEmpty else { throw ScheduleError("loads that never ended: \(open)") }
        }
    }

    private func asks(_ policy: CachePolicy) -> Bool {
        switch policy {
        case .reload, .noStore: true
        case .use: asksAlways
        case .immutable, .cacheOnly: false
        }
    }

    private func judge(_ load: Load, _ outcome: Outcome, _ isCancelled: Bool, _ state: inout State) -> String?
    {
        let name = load.question.name
        switch outcome {
        case .shown(let print) where print.name != name: return "shows a picture of \(print.name)"
        case .shown(let print): return judge(load, version: print.version, &state)
        case .failed(.http(status: 404)):
            guard let version = origin.firstAbsence(name, from: load.least.version) else {
                return "finds nothing, though version \(load.least.version) \(load.least.reason)"
            }
            return judge(load, version: version, &state)
        case .failed(.http(status: 503)):
            return origin.failureCount(name) > load.failures ? nil : "failed though no answer did"
        case .failed(.notCached): return load.question.policy == .cacheOnly ? nil : "is not cached"
        case .failed(let code): return "failed with \(code)"
        case .cancelled: return isCancelled ? nil : "was cancelled by nobody"
        case .other(let text): return "ended with \(text)"
        }
    }

    private func judge(_ load: Load, version: Int, _ state: inout State) -> String? {
        guard version >= load.least.version else {
            return "shows version \(version), though version \(load.least.version) \(load.least.reason)"
        }
        guard version <= origin.version(load.question.name) else { return "shows what never was" }
        let name = load.question.name
        if load.question.policy == .reload {
            state.reloaded[name] = max(state.reloaded[name] ?? 0, version)
            if let picture = load.picture {
                state.reloadedPictures[picture] = max(state.reloadedPictures[picture] ?? 0, version)
            }
        }
        if load.isSteady, let picture = load.picture {
            state.shown[picture] = max(state.shown[picture] ?? 0, version)
        }
        return nil
    }
}
