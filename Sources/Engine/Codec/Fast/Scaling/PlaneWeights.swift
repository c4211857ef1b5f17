import CalotypeCore

/// The weights with which a plane is filtered; planes of the same shape have the same.
struct PlaneWeights {
    let rows: AxisWeights
    let columns: AxisWeights

    /// - Throws: `encode_failed` where there is not enough memory.
    init(_ shape: PlaneShape) throws(CalotypeError) {
        // 255 in 22 binary places, and levels of 16 bits in 16, fit in sums of 32 bits with all that the filter overshoots.
        rows = try AxisWeights(shape.rows, places: shape.isFixed ? 22 : nil)
        columns = try AxisWeights(shape.columns, places: shape.isFixed ? 16 : nil)
    }
}
