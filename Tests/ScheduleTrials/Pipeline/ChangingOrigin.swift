import CalotypeCore
import CalotypeHTTP
import CalotypeTestKit
import TaskFlow
import TaskFlowTesting

/// An origin whose pictures change, go and come back; it remembers all versions and what it was asked.
final class ChangingOrigin: Sendable {
    /// How it answers.
    struct Manners: Sendable, Hashable {
        /// What its `Cache-Control` says.
        var lifetime = "max-age=3600"
        /// Whether it tells versions apart, and answers 304.
        var hasTags = true
        /// How many of a hundred answers are 503.
        var failures = 0
        /// The longest pause before an answer, in steps of ten milliseconds.
        var slowness = 3
    }

    private struct State {
        var random: ScheduleRandom
        /// For each name, whether there is a picture in each version.
        var versions = Array(repeating: [true], count: TrialPictures.nameCount)
        var requests = Array(repeating: 0, count: TrialPictures.nameCount)
        var failures = Array(repeating: 0, count: TrialPictures.nameCount)
    }

    let transport = ScriptedTransport()
    private let manners: Manners
    private let state: Guarded<State>

    init(_ manners: Manners = Manners(), seed: UInt64 = 0) {
        self.manners = manners
        state = Guarded(State(random: ScheduleRandom(seed: seed)))
        transport.answer { [weak self] in self?.answer($0) }
    }

    static func url(_ name: Int) -> String { "http://origin.test/\(name)" }

    /// The number of the newest version of `name`.
    func version(_ name: Int) -> Int { state.withLock { $0.versions[name].count - 1 } }

    /// How many requests for `name` have come.
    func requestCount(_ name: Int) -> Int { state.withLock { $0.requests[name] } }

    /// How many requests for `name` were answered with 503.
    func failureCount(_ name: Int) -> Int { state.withLock { $0.failures[name] } }

    /// The first version of `name` from `least` on in which there is no picture; `nil` if there is none.
    func firstAbsence(_ name: Int, from least: Int) -> Int? {
        state.withLock { state in
            state.versions[name].indices.first { $0 >= least && !state.versions[name][$0] }
        }
    }

    /// Changes the picture, or takes it away.
    func change(_ name: Int, isThere: Bool = true) {
        let version = state.withLock { state in
            if state.versions[name].count < TrialPictures.versionCount {
                state.versions[name].append(isThere)
            }
            return state.versions[name].count - 1
        }
        scheduleNote("the origin has version \(version) of \(name)\(isThere ? "" : ", which is none")")
    }

    private func answer(_ request: HTTPRequest) -> ScriptedResponse? {
        guard let name = request.url.text.last?.wholeNumberValue else { return nil }
        let (version, isThere, fails, pause, hasPieces) = state.withLock { state in
            state.requests[name] += 1
            let fails = Int.random(in: 0..<100, using: &state.random) < manners.failures
            if fails { state.failures[name] += 1 }
            return (
                state.versions[name].count - 1, state.versions[name].last ?? true, fails,
                Int.random(in: 0...manners.slowness, using: &state.random),
                Int.random(in: 0..<4, using: &state.random) == 0
            )
        }
        scheduleNote("the origin answers with \(fails ? "a failure" : "version \(version)") of \(name)")
        var answer = fails ? .status(503) : self.answer(request, name, version, isThere)
        if hasPieces { answer = answer.inPieces(of: ByteCount(150), every: .milliseconds(10)) }
        return pause == 0 ? answer : answer.after(.pause(.milliseconds(pause * 10)))
    }

    private func answer(
        _ request: HTTPRequest,
        _ name: Int,
        _ version: Int,
        _ isThere: Bool
    )
        -> ScriptedResponse
    {
        guard isThere else { return .status(404, headers: ["Cache-Control": manners.lifetime]) }
        let photo = ScriptedStep.bytes(TrialPictures.photo(name, version))
        guard manners.hasTags else {
            return ScriptedResponse(headers: ["Cache-Control": manners.lifetime], body: [photo])
        }
        let tag = "\"\(version)\""
        let headers: KeyValuePairs = ["Cache-Control": manners.lifetime, "ETag": tag]
        if request.headers["If-None-Match"] == tag { return .status(304, headers: headers) }
        return ScriptedResponse(headers: headers, body: [photo])
    }
}
