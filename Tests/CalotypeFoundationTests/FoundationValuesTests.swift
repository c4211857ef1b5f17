import Calotype
import CalotypeFoundation
import CalotypeTestKit
import Foundation
import Testing

@Suite(.timeLimit(.minutes(1))) struct FoundationValuesTests {
    @Test func `a URL of the web stays as it is, and one of a file becomes its path`() throws {
        let web = try #require(URL(string: "https://a.test/b%20c.jpg?d=e#f"))
        #expect(ImageRequest(web, .fit(8, 8)) == ImageRequest("https://a.test/b%20c.jpg?d=e#f", .fit(8, 8)))
        #expect(ImageSource.url(URL(fileURLWithPath: "/tmp/b c.jpg")) == .file(path: "/tmp/b c.jpg"))
    }

    @Test func `data goes in and comes out`() async throws {
        let photo = Data(TinyPicture.jpeg(PixelSize(width: 64, height: 48)))
        try await withImagePipeline { pipeline in
            let rendition = try await pipeline.rendition(for: ImageRequest(.data(photo), .fit(16, 16)))
            #expect(rendition.data == Data(rendition.bytes))
            let source = try await pipeline.data(for: ImageRequest(.data(photo)))
            #expect(source.data == photo)
        }
    }
}
