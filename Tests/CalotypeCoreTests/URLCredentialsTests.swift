import CalotypeCore
import Testing

struct URLCredentialsTests {
    @Test(arguments: [
        ("http://bob:secret@host/a.jpg", "http://host/a.jpg"),
        ("HTTPS://bob@host:8080/a.jpg?x=1#y", "HTTPS://host:8080/a.jpg?x=1#y"),
        ("http://bob:se@cret@host/a.jpg", "http://host/a.jpg"),
        ("http://bob:se%40cret%2F@[::1]:80/", "http://[::1]:80/"),
        // No URL that anybody can load, and a password in it all the same.
        ("http://bob:se/cret@host/a.jpg", "http://host/a.jpg"),
        ("http://bob:se#cret@host/a@2x.jpg", "http://2x.jpg"),
        ("http://bob:my secret@host/a.jpg", "http://host/a.jpg"),
        ("http:/bob:secret@host/a.jpg", "http:/host/a.jpg"),
        ("//bob:secret@host/a.jpg", "//host/a.jpg"),
        ("bob:secret@host/a.jpg", "host/a.jpg"),
        // Within another URL, escaped or not.
        ("https://proxy/http://bob:secret@host/a.jpg", "https://proxy/http://host/a.jpg"),
        ("https://proxy/?u=http%3A%2F%2Fbob%3Asecret%40host%2Fa", "https://proxy/?u=http%3A%2F%2Fhost%2Fa"),
        (
            "https://proxy/?u=http%253A%252F%252Fbob%253Asecret%2540host",
            "https://proxy/?u=http%253A%252F%252Fhost"
        ),
    ])
    func `a URL that is shown has no password`(url: String, shown: String) {
        #expect(URLCredentials.removed(from: url) == shown)
    }

    @Test(arguments: [
        "", "@", "/", "://", "http://", "http://host/a@2x.jpg", "http://host:80/@x", "http://[::1]/a@b",
        "photo@2x.png",
        "dir/a:b@c.png", "http://host/?mail=a@b", "http://host/a%40b%2", "http://hôst/ü@ö",
        "data:image/png;base64,AA==",
        "https://cdn//x@2x.jpg",
    ])
    func `what has none stays as it is`(url: String) {
        #expect(URLCredentials.removed(from: url) == url)
    }

    @Test func `in a message a URL ends at a blank`() {
        let text = "cannot load 'http://bob:secret@host/x' or http://host for a@b, nor http://bob:x/y@host"
        let shown = "cannot load 'http://host/x' or http://host for a@b, nor http://host"
        #expect(URLCredentials.removed(in: text) == shown)
        #expect(URLCredentials.removed(in: "photo:a@2x.png") == "photo:a@2x.png")
        #expect(
            URLCredentials.removed(in: "/unsafe/plain/http%3A%2F%2Fb%3As%40h%2Fa@png")
                == "/unsafe/plain/http%3A%2F%2Fh%2Fa@png"
        )
    }
}
