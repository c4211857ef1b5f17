import Calotype
import CalotypeBulk
import CalotypeCore
import CalotypeHTTP
import CalotypeServer

/// A list of pictures; a ``WallRun`` loads them, and the pictures themselves are in the caches.
struct Wall: Sendable {
    /// The name of a request's wall.
    enum ID: RequestInfo.Key {
        typealias Value = String
    }

    /// The wall's name in paths.
    let id: String
    let contents: WallContents
    /// The size of the pictures.
    let side: Int
    let output: ImageOutput
    /// The header fields of future picture requests.
    let headers: HTTPHeaders
    /// Create and serve the pictures.
    let services: AppServices

    var total: Int { contents.items.count }

    /// Returns the entry at a position of the list, if there is one.
    func item(_ index: Int) -> ListItem? {
        contents.items.indices.contains(index) ? contents.items[index] : nil
    }

    /// Returns the path of the picture at a position of the list.
    func path(toPicture index: Int) throws -> String? {
        try item(index).map { try path(to: $0, side: side) }
    }

    /// Returns the path of an entry's picture in any size.
    func path(to item: ListItem, side: Int) throws -> String {
        try services.path(to: item.url, contents.fit, side: side, as: output)
    }

    /// Returns the request for an entry's picture.
    ///
    /// - Throws: `CalotypeError` if the entry cannot have a picture.
    func request(for item: ListItem) throws -> ImageRequest {
        if let reason = item.invalidReason {
            throw CalotypeError(reason.code, reason.message, stage: .request)
        }
        do {
            let path = try services.thumbnailPath(to: item.url, contents.fit, side: side, as: output)
            var request = try services.thumbnails.imageRequest(at: path, headers: headers)
            request.userInfo[Wall.ID.self] = id
            return request
        } catch let error as ServerError {
            throw CalotypeError(error.code, error.message, stage: .request)
        }
    }
}
