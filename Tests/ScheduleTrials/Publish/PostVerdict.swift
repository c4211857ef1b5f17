import CalotypeFiles
import CalotypePublish
import TaskFlow
import TaskFlowTesting

/// Compares the journal with the server when nobody is at work, brings everything to its end, and compares again.
struct PostVerdict {
    let fixture: PostFixture
    let post: Post
    let publisher: Publisher

    func give() async throws {
        // What was cut has arrived by then.
        try await Task.sleep(for: .seconds(10))
        var records = try await publisher.journal.publications()
        for record in records { compare(record) }
        try check()
        fixture.calm()
        if !records.contains(where: { $0.state == .posted }) || records.contains(where: \.hasLeftovers) {
            try await finish()
            _ = try await publisher.removeLeftovers(includingUnfinished: true) { _ in destination }
            records = try await publisher.journal.publications()
        }
        for record in records {
            compare(record)
            if record.hasLeftovers, record.state != .posting { fixture.find("leftovers stay in the journal") }
        }
        if !records.contains(where: { $0.state == .posted }) {
            fixture.find("nothing was published in the end")
        }
        let made = FolderNames.all(in: "\(publisher.journal.folder)/files")
        if !made.isEmpty, !records.contains(where: \.isUnfinished) {
            fixture.find("files stay in the journal's folder")
        }
        try check()
    }

    /// Compares what the journal has of a publication with the server.
    private func compare(_ record: PublicationRecord) {
        let contents = fixture.contents
        let posts = contents.posts(of: record.id)
        switch record.state {
        case .posted:
            if posts != 1 { fixture.find("the journal has a published post, and the server \(posts)") }
            return
        case .posting:
            if posts > 1 { fixture.find("the server has one post \(posts) times") }
        case .collecting, .failed, .cancelled:
            if posts > 0 { fixture.find("the journal says \(record.state), and the server has the post") }
        }
        // What is being removed the server may not have any more.
        for item in record.items where record.state != .cancelled {
            if let number = item.uploaded.flatMap({ Int($0.id) }), !contents.isComplete(number) {
                fixture.find("the journal has medium \(item.position), and the server does not")
            }
        }
        // What the server has of it, and an answer has told of.
        let known = contents.media(of: record.id).count { $0.isKnown || !fixture.manner.takesPieces }
        let kept = record.items.count { $0.uploaded != nil || $0.remembered != .none }
        if known > kept { fixture.find("the server has \(known) media, and the journal knows of \(kept)") }
        if record.state == .cancelled, !record.hasLeftovers, contents.drafts.contains(record.id) {
            fixture.find("a draft stays at the server")
        }
    }

    /// Publishes the post, if it is not, without faults.
    private func finish() async throws {
        for _ in 0..<4 {
            do {
                _ = try await publisher.publish(post, to: destination, .resumeOrBegin)
                return
            } catch {
                scheduleNote("finishing failed: \(error)")
                for record in try await publisher.journal.publications() where record.state == .posting {
                    let isThere = fixture.contents.posts(of: record.id) > 0
                    if !isThere { fixture.witness { $0.isNotPublished(record.id) } }
                    _ = try await publisher.settle(record.id, isThere ? .published(at: nil) : .notPublished)
                }
            }
        }
        fixture.find("the post cannot be published")
    }

    private var destination: TrialDestination {
        TrialDestination(fixture: fixture, watch: ProgressWatch(fixture))
    }

    private func check() throws {
        if let finding = fixture.findings.first { throw ScheduleError(finding) }
    }
}
