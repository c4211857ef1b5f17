import CalotypeCatalog

/// What a wall works with.
struct WallParts {
    let model: AppSearchModel
    let albums: AlbumLoad
    /// `nil` where no pictures are shown.
    let supply: PictureSupply?
    let tally: WallTally
}
