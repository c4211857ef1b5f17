import CalotypeCore
import CalotypeHTTP
import Testing

@testable import CalotypePublish

@Suite struct WordPressFormTests {
    private static let file = SourceFile(path: "/none", size: ByteCount(0), modified: 0, sha256: "", md5: "")

    private func medium(
        _ name: String,
        _ type: String = "image/jpeg",
        altText: String? = nil
    ) -> PreparedMedium {
        PreparedMedium(position: 0, name: name, file: Self.file, type: MediaType(type), altText: altText)
    }

    @Test(
        "a file name breaks neither the header nor WordPress's reading of it (P20)",
        arguments: [
            ("a \"b\"; c.jpg", "a-b-c.jpg", "a%20%22b%22%3B%20c.jpg"),
            ("a\r\nX-Evil: 1.jpg", "a-X-Evil-1.jpg", "a%0D%0AX-Evil%3A%201.jpg"),
            ("../../etc/passwd.jpg", "etc-passwd.jpg", "..%2F..%2Fetc%2Fpasswd.jpg"),
            ("🐕.jpg", "file.jpg", "%F0%9F%90%95.jpg"), ("Größe.JPEG", "Gr-e.JPEG", "Gr%C3%B6%C3%9Fe.JPEG"),
            (".jpg", "file.jpg", ".jpg"), ("a\\b.jpg", "a-b.jpg", "a%5Cb.jpg"), ("", "file", ""),
            ("notes.tar.gz", "notes-tar.gz", "notes.tar.gz"), ("x.é", "x.bin", "x.%C3%A9"),
        ]
    )
    func disposition(_ name: String, _ ascii: String, _ full: String) throws {
        let disposition = WordPressFileName(medium(name)).disposition
        #expect(disposition == "attachment; filename=\"\(ascii)\"; filename*=UTF-8''\(full)")
        _ = try HeaderField(checking: "Content-Disposition", disposition)
    }

    @Test func `a long file name leaves room for what WordPress adds`() {
        let name = WordPressFileName(medium(String(repeating: "x", count: 300) + ".jpg"))
        #expect(name.ascii.utf8.count < 200)
        #expect(name.ascii.hasSuffix("x.jpg"))
    }

    @Test func `a text becomes paragraphs, and nothing in it is HTML or a shortcode`() {
        let post = Post("One & <b>two</b>\r\nthree\n \n\n[gallery ids=\"1\"] <!-- wp:html -->\u{0}\n")
        let expected = """
            <!-- wp:paragraph -->
            <p>One &amp; &lt;b&gt;two&lt;/b&gt;<br>three</p>
            <!-- /wp:paragraph -->

            <!-- wp:paragraph -->
            <p>&#091;gallery ids=&quot;1&quot;&#093; &lt;!-- wp:html --&gt;</p>
            <!-- /wp:paragraph -->
            """
        #expect(WordPressContent.html(PostDraft(post, media: [])) == expected)
    }

    @Test func `each kind of file becomes the block that WordPress makes of it`() {
        let media = [
            medium("a.jpg", altText: "\"Dog\" <i>\n--> [x]"), medium("b.mp4", "video/mp4", altText: "Run"),
            medium("c.mp3", "audio/mpeg"), medium("d & e.pdf", "application/pdf"),
        ]
        let items = media.enumerated().map { index, medium in
            PostDraft.Medium(
                medium,
                UploadedMedium(id: "\(index + 1)", url: "https://x.test/?a=\(index)&b=\"1\"")
            )
        }
        let expected = """
            <!-- wp:image {"id":1,"sizeSlug":"full","linkDestination":"none"} -->
            <figure class="wp-block-image size-full"><img src="https://x.test/?a=0&amp;b=&quot;1&quot;" \
            alt="&quot;Dog&quot; &lt;i&gt; --&gt; &#091;x&#093;" class="wp-image-1"/></figure>
            <!-- /wp:image -->

            <!-- wp:video {"id":2} -->
            <figure class="wp-block-video"><video controls src="https://x.test/?a=1&amp;b=&quot;1&quot;" \
            aria-label="Run"></video></figure>
            <!-- /wp:video -->

            <!-- wp:audio {"id":3} -->
            <figure class="wp-block-audio"><audio controls src="https://x.test/?a=2&amp;b=&quot;1&quot;"></audio></figure>
            <!-- /wp:audio -->

            <!-- wp:file {"id":4} -->
            <div class="wp-block-file"><a href="https://x.test/?a=3&amp;b=&quot;1&quot;">d &amp; e.pdf</a></div>
            <!-- /wp:file -->
            """
        #expect(WordPressContent.html(PostDraft(Post(""), media: items)) == expected)
    }
}
