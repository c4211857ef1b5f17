import Testing

@testable import CalotypeHTTPListener

/// Decisions about a request's body and an answer's stream.
@Suite struct BodyMachineTests {
    private let gone = HTTPListenerError(.connectionReset, "gone")

    // MARK: Request bodies

    @Test func `a request without a body has ended for its reader`() {
        var body = RequestBodyMachine(limit: nil)
        #expect(body.arrival == .whole)
        #expect(body.read() == .end)
        #expect(body.offer(1) == .refuse)
    }

    @Test func `a body comes when somebody asks, and ends with a call`() {
        var body = RequestBodyMachine(limit: 10)
        #expect(!body.call() && body.arrival == .unasked && !body.wantsMore)
        #expect(body.read() == .wait)
        #expect(body.arrival == .asked && body.wantsMore)
        #expect(body.call() && body.arrival == .flowing)
        #expect(body.offer(3) == .keep)
        body.keep([1, 2, 3])
        #expect(!body.call() && body.arrival == .whole)
        #expect(body.read() == .piece([1, 2, 3]))
        #expect(body.read() == .end)
        #expect(!body.wantsMore)
    }

    @Test func `a full body waits until a quarter is left`() {
        let half = RequestBodyMachine.highWater / 2
        let piece = Array(repeating: UInt8(0), count: half)
        var body = Self.flowing(limit: half * 4)
        for _ in 0..<2 {
            #expect(body.offer(half) == .keep)
            body.keep(piece)
        }
        #expect(body.offer(half) == .wait)
        #expect(body.offer(1) == .wait && !body.wantsMore)
        _ = body.next()
        #expect(!body.wantsMore)
        _ = body.next()
        #expect(body.wantsMore && body.offer(half) == .keep)
    }

    @Test(arguments: [(9, RequestBodyMachine.Intake.keep), (10, .keep), (11, .refuse)])
    func `a body is refused beyond its limit`(_ count: Int, _ intake: RequestBodyMachine.Intake) {
        var body = Self.flowing(limit: 12)
        #expect(body.offer(2) == .keep)
        #expect(body.offer(count) == intake)
    }

    @Test func `a body that nobody reads is dropped, and its reader gets the first error`() {
        var body = Self.flowing(limit: 1_000_000)
        #expect(body.offer(2) == .keep)
        body.keep([1, 2])
        body.fail(gone)
        body.fail(HTTPListenerError(.tooManyBytes, "later"))
        #expect(body.read() == .failed(.connectionReset))
        for _ in 0..<7 { #expect(body.offer(RequestBodyMachine.highWater) == .drop) }
        #expect(body.offer(100_000) == .refuse)
        #expect(!body.wantsMore)
        #expect(!body.call() && body.arrival == .whole)
        #expect(body.read() == .failed(.connectionReset))
    }

    private static func flowing(limit: Int) -> RequestBodyMachine {
        var body = RequestBodyMachine(limit: limit)
        _ = body.next()
        _ = body.call()
        return body
    }

    // MARK: Answer streams

    @Test func `a stream gives pieces in order, at most as much as is wanted`() {
        var stream = ResponseStreamMachine()
        #expect(stream.take(10) == .nothing)
        #expect(stream.accepts([1, 2, 3]) == true)
        #expect(stream.accepts([]) == true)
        #expect(stream.accepts([4]) == true)
        #expect(stream.take(2) == .bytes([1, 2]))
        #expect(stream.take(2) == .bytes([3]))
        stream.end(isComplete: true)
        #expect(stream.take(2) == .bytes([4]))
        #expect(stream.take(2) == .end)
        #expect(stream.sentBytes == 4 && stream.waitingBytes == 0)
    }

    @Test(arguments: [(nil, true), (2, true), (3, false)] as [(Int?, Bool)])
    func `an end before the announced length is a failure`(_ length: Int?, _ isEnd: Bool) {
        var stream = ResponseStreamMachine()
        stream.length = length
        _ = stream.write([1, 2])
        stream.end(isComplete: true)
        _ = stream.take(10)
        #expect(stream.take(10) == (isEnd ? .end : .failed))
    }

    @Test func `a writer waits at the mark, and continues when a quarter is left`() {
        let mark = ResponseStreamMachine.highWater
        var stream = ResponseStreamMachine()
        #expect(stream.accepts(Array(repeating: 0, count: mark - 1)) == true)
        #expect(stream.hasRoom(hasWaited: false) == true && stream.hasRoom(hasWaited: true) == nil)
        #expect(stream.accepts([0]) == false)
        #expect(stream.hasRoom(hasWaited: false) == nil)
        _ = stream.take(mark * 3 / 4 - 1)
        #expect(stream.hasRoom(hasWaited: true) == nil)
        _ = stream.take(1)
        #expect(stream.hasRoom(hasWaited: true) == true)
    }

    /// `nil` is a writer that has thrown.
    @Test(arguments: [true, false, nil])
    func `a stream that failed or was closed gives and takes nothing`(_ endsFirst: Bool?) {
        var stream = ResponseStreamMachine()
        _ = stream.write([1, 2])
        if endsFirst == true { stream.end(isComplete: true) }
        if endsFirst == nil { stream.end(isComplete: false) } else { stream.close() }
        #expect(stream.state == (endsFirst == nil ? .failed : .closed))
        #expect(stream.take(10) == .failed)
        #expect(stream.accepts([3]) == nil)
        #expect(stream.hasRoom(hasWaited: true) == false)
        stream.close()
        #expect(stream.state == (endsFirst == nil ? .failed : .closed))
    }
}

extension RequestBodyMachine {
    fileprivate enum Reading: Equatable {
        case piece([UInt8]), end, failed(HTTPListenerError.Code), wait
    }

    fileprivate mutating func read() -> Reading {
        switch next() {
        case .success(let piece?): .piece(piece)
        case .success(nil): .end
        case .failure(let error): .failed(error.code)
        case nil: .wait
        }
    }
}

extension ResponseStreamMachine {
    /// Whether there is room for more after a piece; `nil` if it was not taken.
    fileprivate mutating func accepts(_ piece: [UInt8]) -> Bool? {
        if case .success(let hasRoom) = write(piece) { hasRoom } else { nil }
    }

    /// False if a writer is to stop, `nil` if it has to wait.
    fileprivate func hasRoom(hasWaited: Bool) -> Bool? {
        switch room(hasWaited: hasWaited) {
        case .success: true
        case .failure: false
        case nil: nil
        }
    }
}
