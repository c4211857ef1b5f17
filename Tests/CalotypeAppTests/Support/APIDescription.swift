/// The OpenAPI file, as far as the tests read it: its operations, and the part of JSON Schema that it uses.
struct APIDescription: Sendable {
    private let document: JSONValue

    init(_ document: JSONValue) {
        self.document = document
    }

    /// Its operations, such as `GET /apps/{id}`.
    var operations: Set<String> {
        var operations: Set<String> = []
        for (path, methods) in document["paths"]?.object ?? [:] {
            for method in methods.object?.keys ?? [:].keys {
                operations.insert("\(method.uppercased()) \(path)")
            }
        }
        return operations
    }

    /// The operations that everybody may call.
    var publicOperations: Set<String> {
        operations.filter { self[$0]?["security"] == .array([.object([:])]) }
    }

    /// The operations that take JSON.
    var jsonOperations: Set<String> {
        operations.filter { self[$0]?["requestBody"]?["content"]?["application/json"] != nil }
    }

    subscript(operation: String) -> JSONValue? {
        let words = operation.split(separator: " ")
        return document["paths"]?[String(words[1])]?[words[0].lowercased()]
    }

    /// What is wrong with an answer; nothing, it is hoped.
    func faults(of value: JSONValue, status: Int, as operation: String) -> [String] {
        let content = self[operation]?["responses"]?["\(status)"]?["content"]?["application/json"]
        guard let schema = content?["schema"] else { return ["\(operation) says nothing of \(status)"] }
        return faults(of: value, schema, at: operation)
    }

    /// What is wrong with an event.
    func faults(of value: JSONValue, event: String, as operation: String) -> [String] {
        let content = self[operation]?["responses"]?["200"]?["content"]?["text/event-stream"]
        guard let schema = content?["x-events"]?[event] else {
            return ["\(operation) says nothing of \(event)"]
        }
        return faults(of: value, schema, at: "\(operation) \(event)")
    }

    private func faults(of value: JSONValue, _ schema: JSONValue, at place: String) -> [String] {
        if let name = schema["$ref"]?.text {
            guard
                let target = document["components"]?["schemas"]?[
                    String(name.dropFirst("#/components/schemas/".count))
                ]
            else { return ["\(place): no schema \(name)"] }
            return faults(of: value, target, at: place)
        }
        if let choices = schema["oneOf"]?.array {
            let all = choices.map { faults(of: value, $0, at: place) }
            return all.contains { $0.isEmpty } ? [] : all.flatMap(\.self)
        }
        let types = schema["type"]?.array?.compactMap(\.text) ?? schema["type"]?.text.map { [$0] }
        if let types, !types.contains(where: value.typeNames.contains) { return ["\(place) is no \(types)"] }
        if let cases = schema["enum"]?.array, !cases.contains(value) {
            return ["\(place) is not one of \(cases)"]
        }
        if let least = schema["minimum"]?.number, let number = value.number, number < least {
            return ["\(place) is below \(least)"]
        }
        switch value {
        case .object(let object): return faults(of: object, schema, at: place)
        case .array(let array):
            guard let items = schema["items"] else { return [] }
            return array.enumerated().flatMap { faults(of: $1, items, at: "\(place)[\($0)]") }
        default: return []
        }
    }

    private func faults(of object: [String: JSONValue], _ schema: JSONValue, at place: String) -> [String] {
        let required = schema["required"]?.array?.compactMap(\.text) ?? []
        let missing = required.filter { object[$0] == nil }.map { "\(place) lacks \($0)" }
        let properties = schema["properties"]?.object ?? [:]
        return missing
            + object.flatMap { name, value in
                if let property = properties[name] {
                    return faults(of: value, property, at: "\(place).\(name)")
                }
                return schema["additionalProperties"] == .truth(false) ? ["\(place) has \(name)"] : []
            }
    }
}
