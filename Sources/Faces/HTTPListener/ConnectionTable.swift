import TaskFlow

/// The connections that are open, and how many there are from each address.
package final class ConnectionTable: Sendable {
    private struct State {
        var clients: [Int32: ClientConnection] = [:]
        var perAddress: [[UInt8]: Int] = [:]
        var emptyWaiters: [CheckedContinuation<Void, Never>] = []

        mutating func remove(_ descriptor: Int32) {
            guard let client = clients.removeValue(forKey: descriptor) else { return }
            let left = (perAddress[client.address.group] ?? 1) - 1
            perAddress[client.address.group] = left > 0 ? left : nil
        }
    }

    private let state = Guarded(State())

    package var count: Int { state.withLock { $0.clients.count } }
    var clients: [ClientConnection] { state.withLock { Array($0.clients.values) } }

    subscript(descriptor: Int32) -> ClientConnection? {
        state.withLock { $0.clients[descriptor] }
    }

    /// Keeps a connection; false where its address has `limit` of them already, 0 being no limit.
    package func insert(_ client: ClientConnection, limit: Int) -> Bool {
        state.withLock { state in
            // A descriptor that comes again was closed without a word, as where memory ran out.
            state.remove(client.descriptor)
            let count = state.perAddress[client.address.group] ?? 0
            guard limit == 0 || count < limit else { return false }
            state.clients[client.descriptor] = client
            state.perAddress[client.address.group] = count + 1
            return true
        }
    }

    func remove(_ client: ClientConnection) {
        let waiters = state.withLock { state -> [CheckedContinuation<Void, Never>] in
            guard state.clients[client.descriptor] === client else { return [] }
            state.remove(client.descriptor)
            guard state.clients.isEmpty else { return [] }
            defer { state.emptyWaiters = [] }
            return state.emptyWaiters
        }
        for waiter in waiters { waiter.resume() }
    }

    /// Wakes those who wait for the last connection to end, although it has not.
    func giveUpWaiting() {
        let waiters = state.withLock { state in
            defer { state.emptyWaiters = [] }
            return state.emptyWaiters
        }
        for waiter in waiters { waiter.resume() }
    }

    /// Waits until no connection is open; returns at once in a task that is cancelled.
    func waitUntilEmpty() async {
        await withTaskCancellationHandler {
            await withCheckedContinuation { waiter in
                let isOver = state.withLock { state in
                    guard !state.clients.isEmpty, !Task.isCancelled else { return true }
                    state.emptyWaiters.append(waiter)
                    return false
                }
                if isOver { waiter.resume() }
            }
        } onCancel: {
            giveUpWaiting()
        }
    }
}
