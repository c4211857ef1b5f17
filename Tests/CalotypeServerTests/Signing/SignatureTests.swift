import CalotypeCore
import CalotypeDigests
import Testing

@testable import CalotypeServer

@Suite
struct SignatureTests {
    private static let secret = SigningKey(key: Array("secret".utf8), salt: Array("hello".utf8))
    private static let first = SigningKey(key: Array("test-key".utf8), salt: Array("test-salt".utf8))
    private static let second = SigningKey(key: Array("test-key2".utf8), salt: Array("test-salt2".utf8))

    private func refusal(
        _ signature: String,
        _ rest: String,
        _ check: SignatureCheck
    ) -> ServerError? {
        do throws(ServerError) {
            try check.verify(signature[...], of: rest)
            return nil
        } catch {
            return error
        }
    }

    @Test func `signatures are those of imgproxy`() throws {
        let path =
            "rs:fill:300:400:0/g:sm/aHR0cDovL2V4YW1w/bGUuY29tL2ltYWdl/cy9jdXJpb3NpdHku/anBn.png"
        let vectors: [(SigningKey, String, Int, String)] = [
            (Self.secret, path, 32, "oKfUtW34Dvo2BGQehJFR4Nr0_rIjOtdtzJ3QFsUcXH8"),
            (Self.first, "asd", 32, "oWaL7QoW5TsgbuiS9-5-DI8S3Ibbo1gdB2SteJh3a20"),
            (Self.first, "asd", 8, "oWaL7QoW5Ts"),
            (Self.second, "asd", 32, "jYz1UZ7j1BCdSzH3pZhaYf0iuz0vusoOTdqJsUT6WXI"),
        ]
        for (key, rest, size, signature) in vectors {
            #expect(try URLSigner(key: key, size: size).path(signing: rest) == "/\(signature)/\(rest)")
            #expect(refusal(signature, rest, try SignatureCheck(keys: [key], size: size)) == nil)
        }
    }

    @Test func `keys and salts are read as they stand in the environment`() throws {
        let keys = try SigningKey.list(
            keys: "736563726574,746573742d6b6579",
            salts: "68656C6C6F,746573742d73616c74"
        )
        #expect(keys == [Self.secret, Self.first])
        #expect(try SigningKey.list(keys: "", salts: "").isEmpty)
    }

    @Test(arguments: [
        ("61", ""), ("", "61"), ("61,62", "61"), ("6", "61"), ("zz", "61"), ("61,", "61,62"), (",", ","),
    ])
    func `invalid keys are reported, and not shown`(keys: String, salts: String) throws {
        let failure = #expect(throws: ServerError.self) {
            try SigningKey.list(keys: keys, salts: salts)
        }
        #expect(failure?.message.contains("zz") == false)
    }

    @Test func `any of several keys may have signed, and no other`() throws {
        let check = try SignatureCheck(keys: [Self.first, Self.second])
        #expect(refusal("oWaL7QoW5TsgbuiS9-5-DI8S3Ibbo1gdB2SteJh3a20", "asd", check) == nil)
        #expect(refusal("jYz1UZ7j1BCdSzH3pZhaYf0iuz0vusoOTdqJsUT6WXI", "asd", check) == nil)
        let other = try URLSigner(key: Self.secret).path(signing: "asd").dropFirst().dropLast(4)
        #expect(refusal(String(other), "asd", check)?.status == 403)
    }

    @Test func `a path that a proxy changed keeps its signature`() throws {
        let signed = try URLSigner(key: Self.first).path(
            to: "http://h/a",
            options: ["rs:fill:3:4"],
            format: "png"
        )
        let configure: (inout PathConfiguration) throws -> Void = {
            $0.signature = try SignatureCheck(keys: [Self.first])
        }
        let thumbnail = try Reading.thumbnail(signed, configure)
        let changed = signed.split(separator: "rs:fill:3:4").joined(separator: "rs%3Afill%3A3%3A4")
            .split(separator: "http://").joined(separator: "http:/")
        #expect(changed != signed)
        #expect(try Reading.thumbnail(changed, configure) == thumbnail)
        #expect(try Reading.thumbnail("/info" + signed, configure).purpose == .information)
    }

    @Test func `a signature is good for its own path only`() throws {
        let signature = "oWaL7QoW5TsgbuiS9-5-DI8S3Ibbo1gdB2SteJh3a20"
        let check = try SignatureCheck(keys: [Self.first])
        for rest in ["asd2", "as", "/asd", "asd/", "\(signature)/asd", "asd\(signature)", "w:3/asd", "ASD"] {
            #expect(refusal(signature, rest, check)?.status == 403, "\(rest)")
        }
        #expect(try Reading.refusal("/\(signature)/\(signature)/asd") { $0.signature = check }?.status == 403)
    }

    @Test(arguments: [
        "oWaL7QoW5TsgbuiS9-5-DI8S3Ibbo1gdB2SteJh3a20=", "oWaL7QoW5TsgbuiS9-5-DI8S3Ibbo1gdB2SteJh3a20A",
        "oWaL7QoW5TsgbuiS9-5-DI8S3Ibbo1gdB2SteJh3a2", "oWaL7QoW5TsgbuiS9-5-DI8S3Ibbo1gdB2SteJh3a21",
        "oWaL7QoW5Ts", "unsafe", "_", "%", "ä", "oWaL7QoW5TsgbuiS9+5+DI8S3Ibbo1gdB2SteJh3a20", "rs:fit:1:1",
    ])
    func `any other text is refused, and counts as no failure`(signature: String) throws {
        let check = try SignatureCheck(keys: [Self.first])
        let refusal = try #require(self.refusal(signature, "asd", check))
        #expect(refusal.status == 403)
        #expect(refusal.publicMessage == "Forbidden")
        #expect(refusal.code == .invalidSignature)
        #expect(refusal.message.contains("signature may be missing") == signature.contains(":"))
    }

    @Test func `signatures are compared by libcrypto, whatever differs`() throws {
        let right = try Self.first.signature(of: "/asd")
        let check = try SignatureCheck(keys: [Self.first])
        for place in right.indices {
            var wrong = right
            wrong[place] ^= 1
            #expect(refusal(Base64URL.text(wrong), "asd", check)?.status == 403)
        }
    }

    @Test func `without a key all pass, but what looks like an option`() throws {
        let check = SignatureCheck()
        #expect(!check.isOn)
        for word in ["unsafe", "insecure", "_", "anything"] { #expect(refusal(word, "asd", check) == nil) }
        let refused = try #require(refusal("rs:fit:1:1", "asd", check))
        #expect(refused.status == 403 && refused.message.contains("has no signature"))
    }

    @Test func `trusted texts pass as they are`() throws {
        let check = try SignatureCheck(keys: [Self.first], trusted: ["ours", "theirs"])
        #expect(refusal("theirs", "asd", check) == nil)
        #expect(refusal("their", "asd", check)?.status == 403)
        for trusted in ["", "a/b"] {
            #expect(throws: ServerError.self) { try SignatureCheck(keys: [], trusted: [trusted]) }
        }
    }

    @Test func `a signature has 1 to 32 bytes`() throws {
        for size in [0, 33, -1] {
            #expect(throws: ServerError.self) {
                try SignatureCheck(keys: [Self.first], size: size)
            }
        }
        let one = try SignatureCheck(keys: [Self.first], size: 1)
        #expect(refusal("oQ", "asd", one) == nil)
        #expect(refusal("oR", "asd", one)?.status == 403)
    }

    @Test(arguments: [
        "http://h/a.jpg", "http://h/a b+c?d=e&f=g%20h#i@j", "https://h/ä/ö.png", "http://h/100%25.png",
        "http://h/x@y:/z", "local:///a b", "http://h/a?x=http://y",
    ])
    func `what the signer writes is read as it was meant`(source: String) throws {
        for form in [URLSigner.SourceForm.plain, .base64] {
            for key in [Self.first, nil] {
                let path = try URLSigner(key: key).path(
                    to: source,
                    options: ["w:3", "fn:a%3Ab"],
                    format: "webp",
                    form: form
                )
                let thumbnail = try Reading.thumbnail(path) {
                    $0.allowsLocal = true
                    if let key { $0.signature = try SignatureCheck(keys: [key]) }
                }
                #expect(thumbnail.source == source)
                #expect(thumbnail.format == .webp && thumbnail.transform.box.width == 3)
            }
        }
    }

    @Test func `base64 of URLs is that of the RFC`() {
        let table = [
            "": "", "f": "Zg", "fo": "Zm8", "foo": "Zm9v", "foob": "Zm9vYg", "fooba": "Zm9vYmE",
            "foobar": "Zm9vYmFy",
            "~~~???": "fn5-Pz8_",
        ]
        for (plain, encoded) in table {
            #expect(Base64URL.text(plain.utf8) == encoded)
            #expect(Base64URL.bytes(encoded.utf8, isStrict: true) == Array(plain.utf8))
        }
        for wrong in ["Z", "Zg=", "Zm9vY", "Z g", "Zm+v", "Zm/v"] {
            #expect(Base64URL.bytes(wrong.utf8) == nil)
        }
        #expect(Base64URL.bytes("Zh".utf8) == Array("f".utf8))
        #expect(Base64URL.bytes("Zh".utf8, isStrict: true) == nil)
    }
}
