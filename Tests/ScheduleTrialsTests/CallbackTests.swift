import Calotype
import CalotypeTestKit
import Dispatch
import TaskFlowTesting
import Testing

@testable import ScheduleTrials

/// Calls from code without `async`, which no scenario makes.
struct CallbackTests {
    @Test func `the completion of a load is called within the schedule`() throws {
        try withDeterministicSchedule(seed: 1) {
            let transport = ScriptedTransport(otherwise: .status(404))
            try await TrialPipeline.run(TrialPipeline.configuration(transport), transport) { pipeline in
                await withCheckedContinuation { continuation in
                    let request = ImageRequest("http://origin.test/gone", .fit(9, 9))
                    _ = pipeline.load(request, on: DispatchQueue(label: "callbacks")) { _ in
                        continuation.resume()
                    }
                }
            }
        }
    }
}
