import CalotypeCore
import TaskFlow

/// The pictures that were drawn last, up to a number of bytes.
struct FinishedPictures {
    struct Key: Hashable {
        let request: ImageRequest
        let box: PictureBox
    }

    private(set) var counts = PictureDrawing.Counts()
    private let limit: ByteCount

    init(limit: ByteCount) {
        self.limit = limit
    }
}
