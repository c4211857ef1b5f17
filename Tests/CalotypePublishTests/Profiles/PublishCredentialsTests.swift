import CalotypeCore
import CalotypePublish
import Testing

@Suite struct PublishCredentialsTests {
    @Test func `the environment has each credential under one name, and S3's under AWS' too`() throws {
        let credentials = try PublishCredentials(environment: [
            "CALOTYPE_TOKEN": "t", "CALOTYPE_USER": "u", "CALOTYPE_PASSWORD": "", "AWS_ACCESS_KEY_ID": "a",
            "AWS_SECRET_ACCESS_KEY": "s", "AWS_SESSION_TOKEN": "n", "AWS_DEFAULT_REGION": "d",
            "AWS_REGION": "r",
        ])
        #expect(credentials.token?.text == "t" && credentials.user == "u" && credentials.password == nil)
        #expect(credentials.keys == .init(accessKey: "a", secretKey: Secret("s"), sessionToken: Secret("n")))
        #expect(credentials.region == "r")
    }

    @Test func `keys come in pairs from one place`() throws {
        let own = try PublishCredentials(environment: [
            "CALOTYPE_ACCESS_KEY": "own", "CALOTYPE_SECRET_KEY": "s", "AWS_ACCESS_KEY_ID": "other",
            "AWS_SECRET_ACCESS_KEY": "t", "AWS_SESSION_TOKEN": "n",
        ])
        #expect(own.keys == .init(accessKey: "own", secretKey: Secret("s")))
        let error = try #require(throws: CalotypeError.self) {
            try PublishCredentials(environment: ["CALOTYPE_ACCESS_KEY": "own", "AWS_SECRET_ACCESS_KEY": "t"])
        }
        #expect(error.message == "CALOTYPE_ACCESS_KEY is set, but CALOTYPE_SECRET_KEY is not")
    }

    @Test func `a line break is refused without the value`() throws {
        let error = try #require(throws: CalotypeError.self) {
            try PublishCredentials(environment: ["CALOTYPE_TOKEN": "hunter2\n"])
        }
        #expect(error.message == "CALOTYPE_TOKEN has a line break or another control character")
    }

    @Test func `what a profile has not is taken from the environment`() throws {
        var profile = PublishCredentials()
        profile.user = "ada"
        profile.keys = .init(accessKey: "p", secretKey: Secret("p"))
        let environment = try PublishCredentials(environment: [
            "CALOTYPE_USER": "bob", "CALOTYPE_PASSWORD": "w", "AWS_ACCESS_KEY_ID": "a",
            "AWS_SECRET_ACCESS_KEY": "s", "CALOTYPE_REGION": "r",
        ])
        let whole = profile.completed(by: environment)
        #expect(whole.user == "ada" && whole.password?.text == "w")
        #expect(whole.keys?.accessKey == "p" && whole.region == "r")
    }
}
