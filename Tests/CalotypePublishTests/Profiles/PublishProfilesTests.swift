import CalotypeCore
import CalotypeHTTP
import CalotypePlatform
import CalotypeTestKit
import FoundationEssentials
import Testing

@testable import CalotypePublish

@Suite struct PublishProfilesTests {
    private static func profiles(_ json: String) throws -> PublishProfiles {
        try PublishProfiles(json: Array(json.utf8), named: "profiles.json")
    }

    @Test func `a profile has a server, credentials and what is to be done there`() throws {
        let profiles = try Self.profiles(
            """
            {"blog": {"to": "wordpress+https://example.org", "user": "ada", "password": "hunter2"},
             "shelf": {"to": "s3+http://10.0.0.1/shelf", "allow_http": true, "region": "eu",
                       "access_key": "test:tester", "secret_key": "hunter2", "session_token": "hunter3"},
             "desk": {"to": "tus+https://example.org/files/", "post_to": "https://example.org/posts",
                      "settle": "https://example.org/posts/{key}", "token": "hunter2", "width": 2}}
            """
        )
        let blog = try profiles.profile(named: "blog")
        #expect(blog.address.kind == .wordpress && blog.credentials.user == "ada")
        #expect(blog.credentials.password?.text == "hunter2" && blog.credentials.token == nil)
        let shelf = try profiles.profile(named: "shelf")
        #expect(shelf.credentials.keys?.accessKey == "test:tester" && shelf.credentials.region == "eu")
        #expect(shelf.credentials.keys?.sessionToken?.text == "hunter3")
        let desk = try profiles.profile(named: "desk")
        #expect(desk.postURL?.text == "https://example.org/posts" && desk.width == 2)
        #expect(desk.settling == .lookUp(template: "https://example.org/posts/{key}"))
        #expect(!String(reflecting: profiles).contains("hunter"))
    }

    @Test func `for a missing profile, the error lists the existing ones`() throws {
        let profiles = try Self.profiles(
            #"{"blog": {"to": "mastodon+https://a.org"}, "desk": {"to": "s3+https://b.org"}}"#
        )
        let near = try #require(throws: CalotypeError.self) { try profiles.profile(named: "blgo") }
        #expect(near.message == #"there is no profile "blgo" in profiles.json; did you mean blog?"#)
        let far = try #require(throws: CalotypeError.self) { try profiles.profile(named: "x") }
        #expect(far.message == #"there is no profile "x" in profiles.json, which has blog, desk"#)
    }

    @Test(
        arguments: [
            (#"{"a": {"too": "x"}}"#, #"1:8: unknown name "too"; did you mean "to"?"#),
            (#"{"a": {"token": "hunter2"}}"#, #"1:7: the profile has no "to", the URL of its server"#),
            (#"{"a": {"to": "tus+https://u:hunter2@h/"}}"#, nil),
            (
                #"{"a": {"to": "tus+https://h/", "token": hunter2}}"#,
                "1:41: this is not a value; text must be in quotes"
            ),
            (
                #"{"a": {"to": "tus+https://h/", "token": "hunter2\n"}}"#,
                #"1:41: "token" is empty, or has a line break or another control character"#
            ),
            (
                #"{"a": {"to": "s3+https://h/", "secret_key": "hunter2"}}"#,
                #"1:45: "secret_key" also needs an "access_key""#
            ),
            (
                #"{"a": {"to": "tus+https://h/", "width": 2.5}}"#,
                #"1:41: "width" must be a whole number, 1 to 64"#
            ),
            (
                #"{"a": {"to": "tus+https://h/", "settle": "maybe"}}"#,
                "1:42: it must be key, ask or a URL that contains {key}, such as https://example.org/posts/{key}"
            ),
            (
                #"{"a b": {"to": "tus+https://h/"}}"#,
                "1:2: a profile's name can contain only letters, digits, dots, hyphens and underscores"
            ),
        ] as [(String, String?)]
    )
    func `an invalid profile is reported with the position, but without its contents`(
        json: String,
        message: String?
    ) throws {
        let error = try #require(throws: CalotypeError.self) { try Self.profiles(json) }
        if let message { #expect(error.message == "profiles.json:\(message)") }
        #expect(!"\(error)".contains("hunter2"))
    }

    @Test func `a file that others may read is refused with what to type`() async throws {
        try await withScratchFolder { folder in
            let path = "\(folder)/my profiles.json"
            try Data(#"{"a": {"to": "tus+https://h/"}}"#.utf8).write(to: URL(filePath: path))
            for mode in [0o640, 0o604, 0o660, 0o777] as [mode_t] {
                unsafe chmod(path, mode)
                let error = try #require(throws: CalotypeError.self) { try PublishProfiles(file: path) }
                #expect(error.code == .fileNotReadable)
                #expect(error.message.hasSuffix("lets other users read it; run: chmod 600 '\(path)'"))
            }
            for mode in [0o600, 0o400] as [mode_t] {
                unsafe chmod(path, mode)
                #expect(try PublishProfiles(file: path).entries.count == 1)
            }
        }
    }

    @Test func `a file that is missing, a folder or endless is refused`() async throws {
        try await withScratchFolder { folder in
            let missing = try #require(throws: CalotypeError.self) {
                try PublishProfiles(file: "\(folder)/x")
            }
            #expect(missing.message.hasPrefix("\(folder)/x: there is no such file; create it with mode 600"))
            let other = try #require(throws: CalotypeError.self) { try PublishProfiles(file: folder) }
            #expect(other.message.hasSuffix("it is not a regular file"))
            let path = "\(folder)/long.json"
            try Data(repeating: 0x20, count: 2 << 20).write(to: URL(filePath: path))
            unsafe chmod(path, 0o600)
            let long = try #require(throws: CalotypeError.self) { try PublishProfiles(file: path) }
            #expect(long.message == "\(path): it is longer than 1.0 MB")
        }
    }

    @Test func `the file is where XDG says`() {
        let path = PublishProfiles.defaultPath
        #expect(path(["XDG_CONFIG_HOME": "/c", "HOME": "/h"]) == "/c/calotype/profiles.json")
        #expect(path(["XDG_CONFIG_HOME": "c", "HOME": "/h"]) == "/h/.config/calotype/profiles.json")
        #expect(path([:]) == nil)
    }

    @Test func `words for a shell are quoted where they have to be`() {
        #expect(ShellWord.quoted("a/b-1.json") == "a/b-1.json" && ShellWord.quoted("") == "''")
        #expect(ShellWord.quoted("it's $1") == #"'it'\''s $1'"#)
    }
}
