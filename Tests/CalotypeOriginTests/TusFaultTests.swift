import CalotypeOrigin
import CalotypePlatform
import Testing

@Suite(.timeLimit(.minutes(1)))
struct TusFaultTests {
    @Test func `an upload below a fault stays below it`() async throws {
        try await withTestOrigin { _, client in
            let path = try await client.begin(3, at: "/publish-faults/latency:1/tus/")
            #expect(path.hasPrefix("/publish-faults/latency:1/tus/"))
            #expect(await client.patch(path, 0, "abc").status == 204)
        }
    }

    @Test func `a conflict is reported once for each upload`() async throws {
        try await withTestOrigin { origin, client in
            for _ in 0..<2 {
                let path = try await client.begin(3, at: "/publish-faults/409/tus/")
                #expect(await client.patch(path, 0, "abc").status == 409)
                #expect(await client.tus("HEAD", path).field("Upload-Offset") == "0")
                #expect(await client.patch(path, 0, "abc").status == 204)
            }
            #expect(origin.received.uploads.map(\.conflicts) == [1, 1])
        }
    }

    @Test func `an upload is locked for some requests`() async throws {
        try await withTestOrigin { _, client in
            let path = try await client.begin(3, at: "/publish-faults/locked:2/tus/")
            #expect(await client.patch(path, 0, "abc").status == 423)
            #expect(await client.tus("HEAD", path).status == 423)
            #expect(await client.tus("HEAD", path).status == 200)
            #expect(await client.patch(path, 0, "abc").status == 204)
        }
    }

    @Test(arguments: [("expired", 410), ("gone", 404)])
    func `an upload is gone after a part of its first piece, a new one is not`(
        fault: String,
        status: Int
    ) async throws {
        try await withTestOrigin { origin, client in
            let path = try await client.begin(4, at: "/publish-faults/\(fault)/tus/")
            #expect(await client.patch(path, 0, "abcd").bytes.isEmpty)
            #expect(await client.tus("HEAD", path).status == status)
            let other = try await client.begin(4, at: "/publish-faults/\(fault)/tus/")
            #expect(await client.patch(other, 0, "abcd").status == 204)
            #expect(origin.received.uploads.map(\.expired) == [true, false])
            #expect(origin.received.uploads.map(\.bytesReceived) == [2, 4])
            #expect(origin.received.bytesKept == 4)
        }
    }

    @Test func `the server loses bytes that it had`() async throws {
        try await withTestOrigin { _, client in
            let path = try await client.begin(8, at: "/publish-faults/rewind/tus/")
            #expect(await client.patch(path, 0, "01234567").bytes.isEmpty)
            #expect(await client.tus("HEAD", path).field("Upload-Offset") == "4")
            #expect(await client.patch(path, 4, "4567").status == 409)
            #expect(await client.tus("HEAD", path).field("Upload-Offset") == "2")
            #expect(await client.patch(path, 2, "234567").status == 204)
            #expect(await client.get(path).text == "01234567")
        }
    }

    @Test func `the offset lies beyond the end`() async throws {
        try await withTestOrigin { _, client in
            let path = try await client.begin(8, at: "/publish-faults/beyond:1/tus/")
            #expect(await client.tus("HEAD", path).field("Upload-Offset") == "1008")
            #expect(await client.patch(path, 0, "0123").field("Upload-Offset") == "1008")
            let other = try await client.begin(8, at: "/publish-faults/beyond:1/tus/")
            #expect(await client.tus("HEAD", other).field("Upload-Offset") == "0")
            let never = try await client.begin(8, at: "/publish-faults/beyond/tus/")
            #expect(await client.tus("HEAD", never).field("Upload-Offset") == "1008")
        }
    }

    @Test func `the upload is at another host`() async throws {
        try await withTestOrigin { origin, client in
            let root = "/publish-faults/other-host/tus/"
            let place = try await client.begin(3, at: root)
            #expect(place.hasPrefix("http://localhost:\(origin.port)\(root)"))
            let path = String(place.dropFirst("http://localhost:\(origin.port)".count))
            _ = await client.tus("HEAD", path, fields: ["Authorization: Bearer secret"])
            #expect(origin.received.uploads.map(\.withAuthorization) == [1])
            let absolute = try await client.begin(3, at: "/publish-faults/absolute/tus/")
            #expect(absolute.hasPrefix("\(origin.baseURL)/publish-faults/absolute/tus/"))
        }
    }

    @Test(arguments: [10, 50, 99, 100])
    func `a piece is cut once, and what came stays`(percent: Int) async throws {
        try await withTestOrigin { origin, client in
            let body = String(repeating: "x", count: 100)
            let path = try await client.begin(100, at: "/publish-faults/cut:\(percent)/tus/")
            #expect(await client.patch(path, 0, body).bytes.isEmpty)
            #expect(await client.tus("HEAD", path).field("Upload-Offset") == "\(percent)")
            if percent < 100 {
                #expect(await client.patch(path, percent, String(body.dropFirst(percent))).status == 204)
            }
            #expect(origin.received.uploads.map(\.bytesReceived) == [100])
            #expect(origin.received.uploads.map(\.complete) == [true])
        }
    }

    @Test func `the response is lost, but not the piece`() async throws {
        try await withTestOrigin { origin, client in
            let path = try await client.begin(3, at: "/publish-faults/lost-answer@PATCH/tus/")
            #expect(await client.patch(path, 0, "abc").bytes.isEmpty)
            #expect(await client.tus("HEAD", path).field("Upload-Offset") == "3")
            #expect(origin.received.uploads.map(\.complete) == [true])
        }
    }

    @Test func `a stalled upload stays locked until its client has gone`() async throws {
        try await withTestOrigin { origin, client in
            let path = try await client.begin(4, at: "/publish-faults/stall/tus/")
            let stalled = RawClient.connected(to: origin.port)
            LifetimeTests.write(RawClient.patchText(path, 0, "abcd"), to: stalled)
            _ = try await origin.received { $0.uploads.first?.offset == 2 }
            #expect(await client.tus("HEAD", path).status == 423)
            close(stalled)
            _ = try await origin.received { $0.uploads.first?.hangUps == 1 }
            #expect(await client.patch(path, 2, "cd").status == 204)
        }
    }
}
