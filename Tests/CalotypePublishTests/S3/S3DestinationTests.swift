import CalotypeCore
import CalotypeHTTP
import Testing

@testable import CalotypePublish

@Suite struct S3DestinationTests {
    private static let credentials = S3Credentials(accessKey: "key", secretKey: Secret("hunter2"))

    private func destination(
        _ endpoint: String = "https://s3.test",
        bucket: String = "pictures",
        prefix: String = ""
    ) throws -> S3Destination {
        try S3Destination(
            endpoint: WebURL(endpoint),
            bucket: bucket,
            prefix: prefix,
            credentials: Self.credentials
        )
    }

    @Test(arguments: [
        ("https://s3.test/pictures/a/b%20c/", "s3+https://s3.test/pictures/a/b%20c", "a/b c/"),
        ("http://127.0.0.1:8080/pictures", "s3+http://127.0.0.1:8080/pictures", ""),
    ])
    func `a URL names server, bucket and prefix`(_ url: String, _ name: String, _ prefix: String) throws {
        let destination = try S3Destination(WebURL(url), credentials: Self.credentials)
        #expect(destination.name == name)
        #expect(destination.location.bucket == "pictures")
        #expect(destination.location.prefix == prefix)
        #expect(!"\(destination)".contains("hunter2"))
    }

    @Test(arguments: ["https://s3.test", "https://s3.test/", "https://s3.test/a?b", "https://s3.test/%zz"])
    func `a URL without a bucket is refused`(_ url: String) throws {
        let url = try WebURL(url)
        #expect(throws: CalotypeError.self) { try S3Destination(url, credentials: Self.credentials) }
    }

    @Test(arguments: ["a/../b", "..", ".", "a/./b", "a\nb", String(repeating: "x", count: 1000)])
    func `a prefix that is none is refused`(_ prefix: String) throws {
        #expect(throws: CalotypeError.self) { try destination(prefix: prefix) }
    }

    @Test(arguments: ["", ".", "..", "a/b", "a\u{0}"])
    func `a bucket that is none is refused`(_ bucket: String) throws {
        #expect(throws: CalotypeError.self) { try destination(bucket: bucket) }
    }

    @Test func `slashes too many in a prefix are left out`() throws {
        #expect(try destination(prefix: "//a//b/").location.prefix == "a/b/")
        #expect(try destination(prefix: "/").location.prefix == "")
    }

    @Test func `the bucket is in the path, or in the host's name`() throws {
        var destination = try destination("http://s3.test:8080/base/")
        #expect(try destination.location.url("k").text == "http://s3.test:8080/base/pictures/k")
        #expect(destination.location.host == "s3.test:8080")
        destination.addressing = .virtualHost
        #expect(try destination.location.url("k").text == "http://pictures.s3.test:8080/base/k")
        #expect(destination.location.host == "pictures.s3.test:8080")
        destination = try self.destination()
        destination.addressing = .virtualHost
        #expect(destination.location.host == "pictures.s3.test")
        #expect(destination.location.path(nil) == "/")
        #expect(try self.destination("http://[::1]:9000").location.host == "[::1]:9000")
    }

    @Test func `keys are sent as they are signed, whatever is in them`() throws {
        let prefix = "a b/100%/ü+&=?#:@!$'()*,;[]~/\u{1F600}\"\\<>^`{|}"
        let location = try destination(prefix: prefix).location
        let key = "\(location.prefix)x%2Fy"
        let query = "prefix=\(SigV4Encoding.value(key))&uploads="
        #expect(
            try location.url(key, query: query).text == "https://s3.test\(location.path(key))?\(query)"
        )
    }

    @Test func `a presigned URL has its limits`() throws {
        let destination = try destination(prefix: "p")
        let moment = WallTime(secondsSince1970: 1_369_353_600)
        let url = try destination.presignedURL(for: "p/a b", method: .put, expires: .seconds(60), at: moment)
        #expect(url.text.hasPrefix("https://s3.test/pictures/p/a%20b?X-Amz-Algorithm=AWS4-HMAC-SHA256&"))
        #expect(url.text.contains("&X-Amz-Date=20130524T000000Z&X-Amz-Expires=60&"))
        for expires in [Duration.zero, .seconds(-1), .seconds(604_801)] {
            #expect(throws: CalotypeError.self) { try destination.presignedURL(for: "a", expires: expires) }
        }
    }

    @Test func `readers may find the objects elsewhere`() throws {
        var destination = try destination()
        destination.publicBase = try WebURL("https://media.test/files")
        #expect(try destination.publicURL(of: "a b").text == "https://media.test/files/a%20b")
    }

    @Test(arguments: [
        ("image/jpeg", "x.png", "jpg"), ("video/quicktime", "x", "mov"), ("x/y", "a.TXT", "txt"),
        ("x/y", "a", "bin"), ("x/y", "a.", "bin"), ("x/y", "a.b/../c", "bin"),
        ("x/y", "a.waytoolongg", "bin"),
    ])
    func `the ending of a key is that of the type`(_ type: String, _ name: String, _ ending: String) {
        #expect(FileExtension.of(MediaType(type), name: name) == ending)
    }
}
