import Calotype
import CalotypeSamplePictures

/// A drawn picture as large as asked.
enum Photo {
    static func draw(_ width: Int, _ height: Int) -> Bitmap {
        SamplePicture(seed: 11, size: PixelSize(width: width, height: height)).draw()
    }
}
