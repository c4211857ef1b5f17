/// What a drawn picture shows.
public enum SampleMotif: String, CaseIterable, Hashable, Sendable {
    case mountains, harbour, skyline, dunes, forest, islands, lights, fruit, houses, aurora, balloons, meadow

    /// Paints the motif over the whole canvas.
    func paint(on canvas: inout Canvas, _ random: inout SeededRandom) {
        switch self {
        case .mountains: paintMountains(on: &canvas, &random)
        case .harbour: paintHarbour(on: &canvas, &random)
        case .skyline: paintSkyline(on: &canvas, &random)
        case .dunes: paintDunes(on: &canvas, &random)
        case .forest: paintForest(on: &canvas, &random)
        case .islands: paintIslands(on: &canvas, &random)
        case .lights: paintLights(on: &canvas, &random)
        case .fruit: paintFruit(on: &canvas, &random)
        case .houses: paintHouses(on: &canvas, &random)
        case .aurora: paintAurora(on: &canvas, &random)
        case .balloons: paintBalloons(on: &canvas, &random)
        case .meadow: paintMeadow(on: &canvas, &random)
        }
    }
}
