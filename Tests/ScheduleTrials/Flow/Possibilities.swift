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
        var known: Set<Model> = []
        var found: [Model] = []
        for var model in models where change(&model) && known.insert(model).inserted { found.append(model) }
        models = found
        return !models.isEmpty
    }

    /// Keeps the models that agree with what is seen in the same step as the last event.
    ///
    /// - Returns: False if none does.
    mutating func keep(where agrees: (Model) -> Bool) -> Bool {
        models.removeAll { !agrees($0) }
        return !models.isEmpty
    }

    private mutating func takeUnseenSteps() {
        var known = Set(models)
        var index = 0
        while index < models.count {
            for model in models[index].afterUnseenStep where known.insert(model).inserted {
                models.append(model)
            }
            index += 1
        }
    }
}
