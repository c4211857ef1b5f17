import TaskFlow
import Testing

@Suite(.timeLimit(.minutes(1))) struct TracingSnippets {
    private let urls = ["https://example.org/a", "https://example.org/b"]

    private func download(_ url: String) async -> [UInt8] { Array(url.utf8) }
    private func decode(_ bytes: [UInt8]) async {}

    // snippet: Tracing.spans
    func load(_ url: String) async {
        await TaskTrace.withLane {
            let bytes = await TaskTrace.span("download", arguments: [.init("url", url)]) {
                await download(url)
            }
            await TaskTrace.span("decode", category: "cpu") { await decode(bytes) }
        }
    }
    // end

    @Test func `spans are recorded and written`() async throws {
        // snippet: Tracing.recording
        let recorder = TraceRecorder()
        await TaskTrace.recording(to: recorder) {
            await withTaskGroup { group in
                for url in urls {
                    group.addTask { await load(url) }
                }
            }
        }
        // end
        #expect(recorder.events.map(\.name).sorted() == ["decode", "decode", "download", "download"])
        let file = TextFile()
        // snippet: Tracing.writing
        var writer = ChromeTraceWriter { text in file.append(text) }
        try writer.write(recorder)
        // end
        #expect(file.text.withLock { $0 }.hasPrefix("{\"traceEvents\""))
    }
}

private final class TextFile: Sendable {
    let text = Guarded("")

    func append(_ more: String) {
        text.withLock { $0 += more }
    }
}
