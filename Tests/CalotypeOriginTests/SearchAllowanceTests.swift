import Testing

@testable import CalotypeOrigin

struct SearchAllowanceTests {
    @Test func `an allowance comes back a minute after it was used`() {
        var allowance = SearchAllowance(limit: 2)
        let start = ContinuousClock.now
        let answered = [0, 20, 59, 60, 79, 80].map { allowance.admits(start + .seconds($0)) }
        #expect(answered == [true, true, false, true, false, true])
    }

    @Test func `without a limit everything is answered, with none nothing`() {
        var any = SearchAllowance(limit: nil)
        var none = SearchAllowance(limit: 0)
        let answered = (0..<100).map { _ in any.admits(.now) }
        let isAnswered = none.admits(.now)
        #expect(!answered.contains(false))
        #expect(!isAnswered)
    }
}
