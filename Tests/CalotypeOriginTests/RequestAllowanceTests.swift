import Testing

@testable import CalotypeOrigin

struct RequestAllowanceTests {
    @Test func `an allowance comes back a minute after it was used`() {
        var allowance = RequestAllowance(limit: 2, span: .seconds(60))
        let start = ContinuousClock.now
        let answered = [0, 20, 59, 60, 79, 80].map { allowance.admits(start + .seconds($0)) }
        #expect(answered == [true, true, false, true, false, true])
    }

    @Test func `without a limit every request is served, with a limit of 0 none`() {
        var any = RequestAllowance(limit: nil, span: .seconds(60))
        var none = RequestAllowance(limit: 0, span: .seconds(60))
        let answered = (0..<100).map { _ in any.admits(.now) }
        let isAnswered = none.admits(.now)
        #expect(!answered.contains(false))
        #expect(!isAnswered)
    }
}
