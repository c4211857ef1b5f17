import CalotypeCore
import CalotypeOrigin
import Testing

@Suite(.timeLimit(.minutes(1)))
struct FaultPlanTests {
    @Test func `a plan is read from its text`() throws {
        let plan = try FaultPlan(parsing: "latency=50ms..0.1s,404=2%,stall=0.5%,wrong-type=1%")
        #expect(plan.latency == .milliseconds(50) ... .milliseconds(100))
        #expect(plan.shares.map(\.fault) == [.status(404), .named(.stall), .named(.wrongType)])
        #expect(plan.shares.map(\.share) == [0.02, 0.005, 0.01])
        #expect(try FaultPlan(parsing: "") == FaultPlan())
        #expect(try FaultPlan(parsing: "latency=2s").latency == .seconds(2) ... .seconds(2))
    }

    @Test(arguments: [
        "404", "404=2", "404=101%", "404=-1%", "404=x%", "399=1%", "cuts=1%", "latency=5", "latency=9ms..5ms",
        "latency=5ms..", "latency=-1s", "latency=2h", "latency=nans", "404=nan%", "cut=60%,html=60%",
        "cut=1%,cut=1%", "=1%",
    ])
    func `an invalid entry is named in the error`(text: String) throws {
        let error = #expect(throws: CalotypeError.self) { try FaultPlan(parsing: text) }
        #expect(error?.code == .invalidRequest)
    }

    @Test func `faults hit about their share of the pictures, the same ones each time`() async throws {
        let files = Dictionary(
            uniqueKeysWithValues: (0..<200).map { ("\($0).jpg", [UInt8](repeating: 1, count: 10)) }
        )
        let plan = try FaultPlan(parsing: "404=20%,html=20%")
        var rounds: [[Int?]] = []
        for _ in 0..<2 {
            try await withTestOrigin(files, configure: { $0.faults = plan }) { _, client in
                var statuses: [Int?] = []
                for index in 0..<200 { statuses.append(await client.get("/pictures/\(index).jpg").status) }
                rounds.append(statuses)
            }
        }
        #expect(rounds[0] == rounds[1])
        #expect((20...60).contains(rounds[0].count { $0 == 404 }))
    }

    @Test(arguments: FaultPlan.Fault.Name.allCases)
    func `every fault has a path that shows it`(name: FaultPlan.Fault.Name) async throws {
        let plan = try FaultPlan(parsing: "\(name.rawValue)=100%")
        try await withTestOrigin(configure: { $0.faults = plan }) { _, client in
            // Silent ones are left before their first byte.
            let answer = await client.get("/pictures/a.jpg", limit: name == .hang ? 0 : 20)
            #expect(answer.end == .limit)
        }
    }
}
