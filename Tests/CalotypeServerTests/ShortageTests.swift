import Calotype
import CalotypeCodec
import CalotypeCore
import CalotypeHTTP
import CalotypeHTTPListener
import CalotypeTestKit
import FoundationEssentials
import Testing

@testable import CalotypeServer

/// Too few descriptors: what the server says, and how it divides those that there are.
@Suite(.serialized)
struct ShortageTests {
    @Test func `health fails while nothing can be opened, and recovers immediately`() async throws {
        try await ServerRig.open { rig in
            let request = ServerRig.request("/health")
            let short = try await withoutDescriptors { try #require(rig.atOnce(request)) }
            #expect(short.status == 503)
            #expect(short.headers["Retry-After"] == "1")
            #expect(rig.atOnce(request)?.status == 200)
        }
    }

    @Test func `a local source that cannot be opened for want of descriptors is not called missing`()
        async throws
    {
        try await withScratchFolder { folder in
            try Data(ServerRig.photo).write(to: URL(fileURLWithPath: "\(folder)/photo.jpg"))
            try await ServerRig.open {
                $0.localRoot = folder
            } _: { rig in
                let path = "/unsafe/rs:fit:8:8/plain/local:///photo.jpg"
                let short = try await withoutDescriptors { await rig.get(path) }
                #expect(short.status == 503)
                #expect(short.headers["Retry-After"] == "1")
                #expect(await rig.get(path).status == 200)
            }
        }
    }

    private func configuration(clients: Int? = nil, origins: Int? = nil) -> ServerConfiguration {
        var configuration = ServerConfiguration()
        configuration.pipeline.codec.threads = 2
        if let clients { configuration.listener.connections = clients }
        if let origins { configuration.pipeline.connections = origins }
        return configuration
    }

    @Test func `with enough descriptors nothing changes, and loads have theirs`() throws {
        let budget = try DescriptorBudget(configuration(), limit: 65_536)
        #expect(budget.clients == 2048 && budget.origins == 1024 && budget.notice == nil)
        #expect(budget.reserved > 1024)
    }

    @Test(arguments: [256, 512, 1024, 2048, 4096])
    func `with few descriptors, both defaults are lower, and a notice says so`(limit: Int) throws {
        let budget = try DescriptorBudget(configuration(), limit: limit)
        #expect(budget.clients + budget.reserved <= limit)
        #expect(budget.clients >= 16 && budget.origins >= 16)
        if limit < 3440 { #expect(budget.notice?.contains("\(limit)") == true) }
    }

    @Test func `the requested side stays, and the other one is adjusted`() throws {
        let few = try DescriptorBudget(configuration(origins: 100), limit: 1024)
        #expect(few.origins == 100 && few.clients < 1024 - 100)
        let many = try DescriptorBudget(configuration(clients: 700), limit: 1024)
        #expect(many.clients == 700 && many.origins >= 16 && many.clients + many.reserved <= 1024)
    }

    @Test(arguments: [(4000, 2000, 1024), (1000, 16, 1024), (16, 1000, 1024)])
    func `what cannot be is refused, with all that it is about`(clients: Int, origins: Int, limit: Int) throws
    {
        let error = #expect(throws: ServerError.self) {
            try DescriptorBudget(configuration(clients: clients, origins: origins), limit: limit)
        }
        #expect(error?.code == .tooFewDescriptors)
        for word in [
            "\(clients) client connections", "\(origins) connections to origins", "\(limit)", "ulimit -n",
        ] {
            #expect(error?.message.contains(word) == true)
        }
    }

    @Test func `too few for anything is refused`() throws {
        #expect(throws: ServerError.self) { try DescriptorBudget(configuration(), limit: 100) }
    }
}
