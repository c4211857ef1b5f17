/// A model of which some steps cannot be seen from outside, such as that of a caller who goes from the door to the queue.
protocol PartlySeen: Hashable, Sendable {
    /// What it may be after one such step.
    var afterUnseenStep: [Self] { get }
}

/// All that a model may be after what was seen so far; empty when nothing explains it.
struct Possibilities<Model: PartlySeen>: Sendable {
    private(set) var models: [Model]

    init(_ model: Model) {
        models = [model]
    }

    /// Takes an event into account, after any number of unseen steps.
    ///
    /// - Parameter change: Changes a model by the event; false if the event is not possible in it.
    /// - Returns: False if the event was not possible in any.
    mutating func see(_ change: (inout Model) -> Bool) -> Bool {
        takeUnseenSteps()
        var found: [Model] = []
        for var model in models where change(&model) && !found.contains(model) { found.append(model) }
        models = found
        return !models.isEmpty
    }

    private mutating func takeUnseenSteps() {
        var index = 0
        while index < models.count {
            for model in models[index].afterUnseenStep where !models.contains(model) { models.append(model) }
            index += 1
        }
    }
}
