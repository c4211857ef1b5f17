import Calotype
import CalotypeOrigin
import FoundationEssentials

/// The JSON document of each picture.
private struct WantedSize: Decodable {
    let width: Int
    let height: Int
}

extension ThumbnailSource<Int> {
    /// The numbered pictures of `origin`.
    init(_ origin: Origin) {
        self.init { id in
            (origin.thumbnailURL(id), origin.thumbnailMetadataURL(id))
        } size: { document in
            let wanted = try JSONDecoder().decode(WantedSize.self, from: Data(document))
            return PixelSize(width: wanted.width, height: wanted.height)
        }
    }
}
