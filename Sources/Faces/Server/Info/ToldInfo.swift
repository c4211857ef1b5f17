import Calotype
import CalotypeCore

/// What was told of a picture, as it is told again.
struct ToldInfo: Sendable {
    /// One JSON object.
    let json: [UInt8]
    let info: SourceInfo
    /// What the source's origin said about it; `nil` where it came from none.
    let standing: SourceStanding?
}
