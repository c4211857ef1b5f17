import CalotypeDigests
import CalotypeHTTP
import Testing

@testable import CalotypePublish

@Suite struct ObjectTagTests {
    @Test func `tags compare without quotes, blanks and the case of digits`() {
        #expect(ObjectTag("\"ABCDEF0123\"") == ObjectTag(" abcdef0123\n"))
        #expect(ObjectTag("\"ABCDEF0123-2\"").text == "abcdef0123-2")
        #expect(ObjectTag("OpaqueTag").text == "OpaqueTag")
    }

    @Test func `the tag of many parts is the MD5 of their MD5s, and their number`() throws {
        let digests = try ["a", "b"].map { try Digest(.md5, of: $0) }
        // `printf '0cc175b9c0f1b6a831c399e26977266192eb5ffee6ae2fec3ad71c777531578f' | xxd -r -p | md5sum`
        #expect(try ObjectTag(parts: digests).text == "96e024ba2074fe77e8e965ba43a704be-2")
    }

    @Test func `tags of what is encrypted with the customer's keys say nothing`() throws {
        func isOpaque(_ name: String, _ value: String) throws -> Bool {
            ObjectTag.isOpaque(HTTPHeaders([.init(name, value)]))
        }
        #expect(!ObjectTag.isOpaque(HTTPHeaders()))
        #expect(try !isOpaque("x-amz-server-side-encryption", "AES256"))
        #expect(try isOpaque("x-amz-server-side-encryption", "aws:kms"))
        #expect(try isOpaque("x-amz-server-side-encryption-customer-algorithm", "AES256"))
    }
}
