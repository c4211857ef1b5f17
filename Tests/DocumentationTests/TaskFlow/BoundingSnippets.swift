import TaskFlow
import Testing

@Suite(.timeLimit(.minutes(1))) struct BoundingSnippets {
    private struct TryAgainLater: Error {}

    private struct Header {
        let decodedBytes: Int
    }

    private let url = "https://example.org/"
    private let file = "picture.jpg"
    private let width = 40
    private let height = 30

    private func download(_ url: String) async throws -> [UInt8] { Array(url.utf8) }
    private func decode(_ file: String) async throws -> [UInt8] { Array(file.utf8) }
    private func readHeader(_ file: String) async throws -> Header { Header(decodedBytes: 4800) }

    @Test func `a number of connections`() async throws {
        // snippet: Bounding.permits
        let connections = AdmissionGate(capacity: 64)

        let bytes = try await connections.withPermit {
            try await download(url)
        }
        // end
        #expect(!bytes.isEmpty)
    }

    @Test func `a number of bytes`() async throws {
        // snippet: Bounding.weight
        let memory = AdmissionGate(capacity: 512 << 20)

        let picture = try await memory.withPermit(weight: width * height * 4) {
            try await decode(file)
        }
        // end
        #expect(!picture.isEmpty)
        // snippet: Bounding.snapshot
        #expect(memory.snapshot.used == 0)
        #expect(memory.snapshot.waiting == 0)
        // end
    }

    @Test func `some of a gate is kept back`() async throws {
        // snippet: Bounding.keptBack
        let connections = AdmissionGate(capacity: 64, keptBack: 8, from: .normal)

        let bytes = try await connections.withPermit(priority: .low) {
            try await download(url)
        }
        // end
        #expect(!bytes.isEmpty)
    }

    @Test func `a permit grows and shrinks`() async throws {
        let memory = AdmissionGate(capacity: 512 << 20)
        // snippet: Bounding.grow
        let permit = try await memory.acquire(weight: 1 << 20)
        let header = try await readHeader(file)
        guard permit.tryGrow(to: header.decodedBytes) else {
            permit.release()
            throw TryAgainLater()
        }
        let picture = try await decode(file)
        permit.shrink(to: picture.count)
        // end
        #expect(memory.snapshot.used == picture.count)
    }
}
