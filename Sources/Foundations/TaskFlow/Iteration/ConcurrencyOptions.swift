/// How a concurrent iteration runs.
struct ConcurrencyOptions: Sendable {
    var limit: Int
    var order: ResultOrder
    var name: String?
    var priority: TaskPriority?
    var executor: (any TaskExecutor)?
}
