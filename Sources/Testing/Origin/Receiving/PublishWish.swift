/// What goes wrong with what a request sends, because its path asks for it.
struct PublishWish: Sendable {
    var faults: [PublishFault] = []
    /// What paths in answers begin with, so that what follows has the faults too.
    var root = ""
}

extension Call {
    /// The faults among those meant that this request has to suffer now.
    ///
    /// Each that is for some requests only counts this one.
    func struck(where isMeant: (PublishFault.Kind) -> Bool) -> [PublishFault.Kind] {
        wish.faults.filter { isMeant($0.kind) && strikes($0) }.map(\.kind)
    }

    /// Whether the request has this fault.
    ///
    /// - Parameters:
    ///   - kind: the fault.
    ///   - key: what is counted, where that is not each method and path.
    /// - Returns: whether it strikes now.
    func suffers(_ kind: PublishFault.Kind, counting key: String? = nil) -> Bool {
        wish.faults.contains { $0.kind == kind && strikes($0, counting: key) }
    }

    private func strikes(_ fault: PublishFault, counting key: String? = nil) -> Bool {
        guard fault.concerns(request.method, innerPath) else { return false }
        guard let count = fault.count else { return true }
        return site.isAmongFirst(count, for: "\(fault.kind) \(key ?? "\(request.method) \(request.path)")")
    }

    /// The path after the fault.
    var innerPath: String {
        String(request.path.dropFirst(wish.root.count))
    }
}
