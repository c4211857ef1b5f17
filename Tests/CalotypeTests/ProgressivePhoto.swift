import CalotypeCodec
import CalotypeCore
import CalotypeSamplePictures

/// A drawn picture as a progressive JPEG.
enum ProgressivePhoto {
    static func encoded(_ width: Int, _ height: Int) async throws -> [UInt8] {
        var options = EncodeOptions()
        options.isProgressive = true
        let photo = SamplePicture(seed: 5, size: PixelSize(width: width, height: height)).draw()
        return try await withImageCodec { codec in
            try await codec.encode(photo, as: ImageFormat.jpeg, options: options)
        }
    }
}
