import CalotypeCore
import Testing

@testable import CalotypeHTTP

@Suite struct HTTPRequestTests {
    @Test(arguments: [
        ("X\r\nY", "a"), ("X", "a\r\nY: b"), ("X", "a\u{0}"), ("", "a"), ("X Y", "a"), ("X:", "a"),
        ("Host", "a"),
        ("transfer-encoding", "chunked"), ("X", "a\nb"),
    ])
    func `a header that would smuggle is refused`(name: String, value: String) throws {
        var request = HTTPRequest(try WebURL("http://a/"))
        #expect(throws: CalotypeError.self) { try request.addHeader(name, value) }
    }

    @Test func `secrets stay with their origin`() throws {
        var request = HTTPRequest(try WebURL("http://u:p@a/"))
        for name in ["Authorization", "cookie", "X-Other"] { try request.addHeader(name, "v") }
        let near = request.redirected(to: try WebURL("http://a/b"))
        let far = request.redirected(to: try WebURL("https://a/b"))
        #expect(near.headers.map(\.name) == ["Authorization", "cookie", "X-Other"])
        #expect(far.headers.map(\.name) == ["X-Other"])
        #expect(far.url.authorization == nil)
    }
}

@Suite struct TransferClockTests {
    private let start = ContinuousClock.now

    private func clock(_ change: (inout HTTPTimeouts) -> Void = { _ in }) -> TransferClock {
        var timeouts = HTTPTimeouts()
        change(&timeouts)
        return TransferClock(timeouts, spent: .zero, now: start)
    }

    @Test func `each phase has its own deadline`() {
        var clock = clock()
        #expect(clock.deadline == start + .seconds(10))
        #expect(clock.expiry(start + .seconds(9)) == nil)
        #expect(clock.expiry(start + .seconds(10)) == .connect)
        clock.connected(start + .seconds(9))
        #expect(clock.expiry(start + .seconds(18)) == nil)
        #expect(clock.expiry(start + .seconds(19)) == .headers)
        clock.headCompleted(start + .seconds(18))
        #expect(clock.expiry(start + .seconds(33)) == .idle)
    }

    @Test func `a body below the least rate is too slow`() {
        var clock = clock()
        clock.connected(start)
        clock.headCompleted(start)
        for second in 1...9 { clock.received(1000, start + .seconds(second)) }
        #expect(clock.expiry(start + .seconds(10)) == .rate)
    }

    @Test func `a body at the least rate is not too slow`() {
        var clock = clock()
        clock.connected(start)
        clock.headCompleted(start)
        for second in 1...10 { clock.received(1024, start + .seconds(second)) }
        #expect(clock.expiry(start + .seconds(10)) == nil)
        #expect(clock.deadline == start + .seconds(20))
    }

    @Test func `time that the reader takes is not the origin's`() {
        var clock = clock { $0.total = .seconds(100) }
        clock.connected(start)
        clock.headCompleted(start)
        clock.paused(start + .seconds(1))
        #expect(clock.expiry(start + .seconds(90)) == nil)
        #expect(clock.deadline == start + .seconds(100))
        clock.resumed(start + .seconds(90))
        #expect(clock.expiry(start + .seconds(99)) == nil)
        #expect(clock.expiry(start + .seconds(100)) == .total)
    }

    @Test func `time spent on the name counts as connecting`() {
        var clock = TransferClock(HTTPTimeouts(), spent: .seconds(6), now: start)
        #expect(clock.expiry(start + .seconds(3)) == nil)
        #expect(clock.expiry(start + .seconds(4)) == .connect)
    }
}

@Suite struct NameCacheTests {
    @Test func `results expire, failures sooner, and their number is limited`() {
        let now = ContinuousClock.now
        var cache = NameCache(lifetime: .seconds(60), failureLifetime: .seconds(2), capacity: 10)
        cache.store(.addresses([IPAddress(v4: 1)]), for: "a", now: now)
        cache.store(.failure("no"), for: "b", now: now)
        #expect(cache.result(for: "a", now: now + .seconds(59)) != nil)
        #expect(cache.result(for: "a", now: now + .seconds(60)) == nil)
        #expect(cache.result(for: "b", now: now + .seconds(2)) == nil)
        for number in 0..<1000 {
            cache.store(.failure("no"), for: "\(number)", now: now + .milliseconds(number))
        }
        #expect(cache.count <= 10)
        #expect(cache.result(for: "999", now: now + .seconds(1)) != nil)
    }
}
