import Calotype
import CalotypeCodec
import Glibc

/// Makes thumbnails of a list of files on a number of threads, through the codec alone, and tells what it cost.
///
/// The last line of its output is one JSON object.
@main
enum Main {
    static func main() async throws {
        DecoderWorker.serveIfAsked()
        MemoryArenas.limit()
        guard let orders = Orders(CommandLine.arguments.dropFirst()) else {
            print(Orders.usage)
            exit(2)
        }
        let run = Run(orders, paths: try Files.lines(orders.list))
        try await run.withCodec { codec in
            if orders.pauses { pause() }
            await run.play(codec)
        }
        print(run.summary)
        exit(run.tally.failures == 0 ? 0 : 1)
    }

    /// Gives an observer time to see what an idle process uses.
    private static func pause() {
        print("ready")
        fflush(nil)
        _ = readLine()
    }
}
