import CalotypeCore
import CalotypeHTTP
import CalotypePlatform
import CalotypeTestKit
import FoundationEssentials
import Testing

@testable import CalotypePublish

@Suite struct PublishTargetTests {
    private static func target(_ to: String, postTo: String? = nil, settle: String? = nil) -> PublishTarget {
        var target = PublishTarget(to: to)
        (target.postTo, target.settle) = (postTo, settle)
        return target
    }

    private static let variables = [
        "CALOTYPE_TOKEN": "t", "CALOTYPE_USER": "u", "CALOTYPE_PASSWORD": "p", "CALOTYPE_ACCESS_KEY": "a",
        "CALOTYPE_SECRET_KEY": "s",
    ]

    @Test(arguments: [
        ("tus+https://h/files/", "tus+https://h/files/"), ("plain+https://h/in/", "plain+https://h/in/"),
        ("mastodon+https://h", "mastodon+https://h"), ("s3+https://h/bucket/a", "s3+https://h/bucket/a"),
        ("wordpress+https://h", "wordpress+https://h/"),
    ])
    func `a URL and the environment make a destination`(to: String, name: String) throws {
        let target = Self.target(to, postTo: "https://h/posts")
        #expect(try target.profile(environment: Self.variables).destination().name == name)
    }

    @Test(arguments: [
        ("tus+https://h/files/", "--post-to"), ("plain+https://h/", "--post-to"),
        ("mastodon+https://h", "CALOTYPE_TOKEN"), ("s3+https://h/b", "CALOTYPE_ACCESS_KEY"),
        ("wordpress+https://h", "CALOTYPE_USER"),
    ])
    func `what a kind of server needs and is not there is named`(to: String, name: String) throws {
        let error = try #require(throws: CalotypeError.self) {
            try Self.target(to).profile(environment: [:]).destination()
        }
        #expect(error.code == .invalidRequest && error.message.contains(name))
    }

    @Test func `a name is a profile, and options win over it`() async throws {
        try await withScratchFolder { folder in
            let path = "\(folder)/calotype/profiles.json"
            try FileManager.default.createDirectory(
                at: URL(filePath: "\(folder)/calotype"),
                withIntermediateDirectories: true
            )
            try Data(
                #"{"desk": {"to": "tus+http://10.0.0.1/f/", "allow_http": true, "post_to": "http://10.0.0.1/p", "token": "q"}}"#
                    .utf8
            ).write(to: URL(filePath: path))
            unsafe chmod(path, 0o600)
            let environment = ["XDG_CONFIG_HOME": folder].merging(Self.variables) { first, _ in first }
            let profile = try Self.target("desk", postTo: "http://10.0.0.2/p", settle: "key")
                .profile(environment: environment)
            #expect(profile.postURL?.host == "10.0.0.2" && profile.settling == .key)
            #expect(profile.credentials.token?.text == "q" && profile.credentials.user == "u")
            let error = try #require(throws: CalotypeError.self) {
                try Self.target("disk").profile(environment: environment)
            }
            #expect(error.message == #"there is no profile "disk" in \#(path); did you mean desk?"#)
            unsafe chmod(path, 0o644)
            let open = try #require(throws: CalotypeError.self) {
                try Self.target("desk").profile(environment: environment)
            }
            #expect(open.message.hasSuffix("run: chmod 600 \(path)"))
        }
    }

    @Test func `options are looked at as closely as the server is`() throws {
        for target in [
            Self.target("tus+https://h/", postTo: "http://h/posts"),
            Self.target("tus+https://h/", postTo: "https://u:hunter2@h/posts"),
            Self.target("tus+https://h/", settle: "perhaps"), Self.target("u:hunter2@h"),
            Self.target("tus+https:/u:hunter2@h/"),
        ] {
            let error = try #require(throws: CalotypeError.self) { try target.profile(environment: [:]) }
            #expect(!"\(error)".contains("hunter2"))
        }
    }

    @Test func `a note remembers where a post came from and went, but no signature`() throws {
        let target = Self.target("desk", postTo: "https://h/posts")
        let note = PublishNote(file: "/a/post.json", target: target)
        #expect(PublishNote(note.text) == note && note.target == target)
        let signed = PublishNote(file: nil, target: Self.target("plain+https://h/?X-Amz-Signature=0123"))
        #expect(signed.target == nil && signed.text?.contains("0123") == false)
        #expect(PublishNote(nil) == nil && PublishNote("something else") == nil)
    }
}
