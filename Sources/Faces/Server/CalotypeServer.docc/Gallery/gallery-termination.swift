import Dispatch
import Glibc

/// Returns when the process receives SIGTERM.
func untilTerminated() async {
    signal(SIGTERM, SIG_IGN)
    let source = DispatchSource.makeSignalSource(signal: SIGTERM)
    let signals = AsyncStream<Void> { continuation in
        source.setEventHandler { continuation.yield() }
    }
    source.resume()
    for await _ in signals { break }
    source.cancel()
}
