import CalotypeCore
import CalotypeFiles
import Dispatch
import FoundationEssentials
import TaskFlow
import Testing

@testable import CalotypeBulk

@Suite(.timeLimit(.minutes(1)))
struct FileBatchTests {
    @Test func `files get their names together, in whatever number they come`() throws {
        let folder = try Folder()
        let output = try OutputFolder(path: folder.output)
        var batch = FileBatch(into: output)
        let numbers = (0..<10).map { batch.add([UInt8($0)], as: "\($0).jpg") }
        #expect(try folder.outputNames().isEmpty)
        for number in 10..<100 { _ = batch.add([UInt8(number)], as: "\(number).jpg") }
        batch.sync()
        #expect(try folder.outputNames().isEmpty)
        batch.commit()
        #expect(try folder.outputNames().count == 100)
        #expect((0..<100).allSatisfy { output.read("\($0).jpg", limit: 9) == [UInt8($0)] })
        #expect(numbers.allSatisfy { batch.failure(of: $0) == nil })
    }

    @Test func `a file that cannot be written fails alone`() throws {
        let folder = try Folder()
        let output = try OutputFolder(path: folder.output)
        try FileManager.default.createDirectory(
            atPath: folder.output + "/taken",
            withIntermediateDirectories: false
        )
        var batch = FileBatch(into: output)
        let numbers = ["a", "taken", "b"].map { batch.add([1], as: $0) }
        batch.sync()
        batch.commit()
        #expect(numbers.map { batch.failure(of: $0)?.code } == [nil, .storageFailed, nil])
        #expect(try folder.outputNames() == ["a", "b", "taken"])
    }

    @Test func `no file appears that the report calls cancelled`() throws {
        let folder = try Folder()
        let ledger = RunLedger(
            order: .completion,
            report: try ReportWriter(path: folder.report),
            sheet: nil,
            stopwatch: Stopwatch(ContinuousClock()),
            received: { ByteCount(0) },
            stop: Latch()
        )
        let items = (0..<2).map { ListItem(index: $0, url: "http://host/\($0)") }
        items.forEach(ledger.begin)
        let closing = DispatchGroup()
        ledger.complete {
            DispatchQueue.global().async(group: closing) { _ = ledger.close(RunSummary.Ending.interrupted) }
            // Times out, because closing waits for this step.
            _ = closing.wait(timeout: .now() + .milliseconds(100))
            return [
                .init(
                    outcome: .failed(
                        items[0],
                        CalotypeError(.http(status: 404), "not found", stage: .request)
                    )
                )
            ]
        }
        closing.wait()
        var appears = false
        ledger.complete {
            appears = true
            return []
        }
        #expect(!appears)
        #expect(try ReportRow.rows(folder.text(folder.report)).map(\.status) == ["failed", "cancelled"])
    }

    #if DEBUG
    @Test func `no thread of the cooperative pool waits for a file of the run`() async throws {
        let folder = try Folder()
        let list = try folder.write(
            Array((0..<40).map { $0 % 5 == 0 ? "fail:http_404\n" : "ok:\($0)\n" }.joined().utf8),
            to: "list"
        )
        var options = FetchOptions(source: .file(path: list), output: folder.output)
        options.report = folder.report
        options.contactSheet = folder.sheet
        options.stateHome = folder.state
        let calls = Guarded<[String]>([])
        // The second run checks and skips.
        for _ in 0..<2 {
            try await BlockingCalls.$observer.withValue({ call in calls.withLock { $0.append(call) } }) {
                _ = try await FetchJob(options, loader: ScriptedLoader()).run()
            }
        }
        #expect(calls.withLock { $0 } == [])
    }

    @Test func `a file call on the cooperative pool is found`() async throws {
        let folder = try Folder()
        let path = folder.path
        let calls = Guarded<[String]>([])
        try await BlockingCalls.$observer.withValue({ call in calls.withLock { $0.append(call) } }) {
            try await Self.openOnPool(path)
        }
        #expect(calls.withLock { $0 } == ["open \(path)"])
    }

    @concurrent
    private static func openOnPool(_ path: String) async throws {
        _ = try OpenFile(path, 0)
    }
    #endif
}
