import Testing

@testable import Calotype

@Suite struct LoadCrowdTests {
    @Test func `the last of a thousand loads ends a crowd, and only once`() {
        let crowd = LoadCrowd()
        for _ in 0..<LoadCrowd.least { crowd.loadBegan() }
        for _ in 1..<LoadCrowd.least { #expect(!crowd.loadEnded()) }
        #expect(crowd.loadEnded())
        crowd.loadBegan()
        #expect(!crowd.loadEnded())
    }

    @Test func `fewer loads are no crowd`() {
        let crowd = LoadCrowd()
        for _ in 1..<LoadCrowd.least { crowd.loadBegan() }
        for _ in 1..<LoadCrowd.least { #expect(!crowd.loadEnded()) }
    }
}
