import CalotypeCore
import TaskFlow
import TaskFlowTesting
import Testing

@testable import Calotype

/// What observers and readers learn of loads that follow each other.
@Suite struct SourceFeedTests {
    private static let facts: ImageFacts? = nil

    @Test func `what a load reports after the next one has begun is ignored`() {
        let feed = SourceFeed()
        let seen = Recorder<Int>()
        let first = feed.begin()
        _ = feed.add(SourceFeed.Observer { seen.record($0.received.bytes) })
        first.advance(to: 10, of: nil, Self.facts, prefix: nil)
        let second = feed.begin()
        first.advance(to: 20, of: nil, Self.facts, prefix: nil)
        first.end()
        second.advance(to: 15, of: nil, Self.facts, prefix: nil)
        #expect(seen.values == [10, 15])
    }

    @Test func `the file of a load that has ended belongs to no other load`() throws {
        let feed = SourceFeed()
        let (one, other) = (try file(), try file())
        let files = Recorder<ObjectIdentifier>()
        let first = feed.begin()
        first.grow(one)
        #expect(first.isGrowing)
        // Its last reader has left, and its task has not ended yet.
        first.end()
        let observer = SourceFeed.Observer(progress: { _ in }, file: { files.record(ObjectIdentifier($0)) })
        _ = feed.add(observer)
        let second = feed.begin()
        #expect(!first.isGrowing && !second.isGrowing)
        second.grow(other)
        first.grow(one)
        #expect(files.values == [ObjectIdentifier(other)] && second.isGrowing)
    }

    @Test func `a reader forgets the file of a load that another one replaces`() throws {
        let feed = SourceFeed()
        let intake = GrowingIntake()
        let first = feed.begin()
        first.grow(try file())
        first.advance(to: 10, of: ByteCount(10), Self.facts, prefix: nil)
        _ = feed.add(intake.observer { _ in (Provenance(nil, freshUntil: nil, from: .own), true) })
        #expect(intake.level.hasBegun && intake.level.replacements == 0)
        let second = feed.begin()
        #expect(intake.level.file == nil && !intake.level.hasBegun && intake.level.expected == nil)
        let other = try file()
        second.grow(other)
        #expect(intake.level.file === other && intake.level.replacements == 1)
    }

    private func file() throws -> SpoolFile { try SpoolFile(in: SpoolFile.defaultFolder) }
}
