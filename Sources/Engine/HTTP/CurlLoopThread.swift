import CalotypeCCurl
import CalotypeCore

/// What the thread of a ``CurlLoop`` does, and what only it may touch.
struct CurlLoopThread: ~Copyable {
    private let loop: CurlLoop
    private let multi: MultiHandle
    private let configuration: CurlConfiguration
    private var active: [ObjectIdentifier: EasyHandle] = [:]
    /// Handles without a transfer, at most ``CurlConfiguration/idleConnections``.
    private var spare: [EasyHandle] = []
    private let timer = SweepTimer()
    private let deliveries = DeliveryList()

    init(_ loop: CurlLoop, _ multi: MultiHandle, _ configuration: CurlConfiguration) {
        self.loop = loop
        self.multi = multi
        self.configuration = configuration
    }

    /// Performs transfers until the loop is stopped.
    consuming func run() {
        while carryOutCommands() {
            multi.perform()
            deliveries.deliver()
            while let (handle, code) = multi.nextFinished() { finish(handle, handle.outcome(code)) }
            sweep(.now)
            multi.wait(timer.patience(.now))
        }
        for handle in active.values { finish(handle, .failure(CurlTransport.closedError)) }
        spare = []
        multi.close()
    }

    /// Returns `false` when the loop is to end.
    private mutating func carryOutCommands() -> Bool {
        let (commands, stops) = loop.takeCommands()
        for command in commands {
            switch command {
            case .start(let transfer): start(transfer)
            case .resume(let transfer): active[ObjectIdentifier(transfer)]?.resume()
            case .resumeSending(let transfer): active[ObjectIdentifier(transfer)]?.resumeSending()
            case .cancel(let transfer):
                guard let handle = active[ObjectIdentifier(transfer)] else { continue }
                finish(handle, .failure(CancellationError()))
            }
        }
        return !stops
    }

    private mutating func start(_ transfer: Transfer) {
        guard let handle = spare.popLast() ?? multi.makeEasyHandle(configuration, timer, deliveries) else {
            loop.transferEnded()
            transfer.finish(.failure(Self.noMemory))
            return
        }
        handle.begin(transfer)
        active[ObjectIdentifier(transfer)] = handle
        if !multi.add(handle) { finish(handle, .failure(Self.noMemory)) }
    }

    private mutating func finish(_ handle: EasyHandle, _ result: Result<Void, any Error>) {
        guard let transfer = handle.transfer else { return }
        active[ObjectIdentifier(transfer)] = nil
        multi.remove(handle)
        if spare.count < configuration.idleConnections { spare.append(handle) }
        loop.transferEnded()
        handle.end(result)
    }

    /// Ends what has taken too long.
    private mutating func sweep(_ now: ContinuousClock.Instant) {
        guard timer.isDue(now) else { return }
        for handle in active.values {
            if let error = handle.expire(now) { finish(handle, .failure(error)) }
        }
    }

    private static var noMemory: CalotypeError {
        CalotypeError(.resourceShortage, "there is no memory for the transfer", stage: .connect)
    }
}
