import CalotypeHTTPMessages

/// A path pattern and the origin's response to it.
struct OriginRoute: Sendable {
    /// The pattern, such as `/slow/BYTES_PER_S/NAME`.
    ///
    /// Parts in capitals stand for values. `NAME` takes the rest of the path; `PATH` takes it as the client
    /// sent it. A slash at the end of the pattern is optional in the path.
    let pattern: String
    /// The description for readers.
    let summary: String
    let respond: @Sendable (Call) async throws -> ResponseScript
    /// The content, if it is a picture or a document that faults can change.
    let content: (@Sendable (Call) async throws -> ServedPicture)?
    /// The supported methods.
    ///
    /// Others receive 405.
    private(set) var methods = ["GET", "HEAD"]
    /// Whether it receives data, so that publishing faults apply to it.
    var isReceiver = false

    init(
        _ pattern: String,
        _ summary: String,
        content: (@Sendable (Call) async throws -> ServedPicture)? = nil,
        script: @escaping @Sendable (Call) async throws -> ResponseScript
    ) {
        self.pattern = pattern
        self.summary = summary
        self.content = content
        respond = script
    }

    init(_ pattern: String, _ summary: String, response: @escaping @Sendable (Call) async throws -> Response)
    {
        self.init(pattern, summary, script: { try await response($0).script() })
    }

    /// Returns the route for other methods.
    func taking(_ methods: String...) -> OriginRoute {
        var route = self
        route.methods = methods
        return route
    }

    /// Returns the response to an unsupported `method`, or `nil` if the route supports it.
    func refusal(of method: String) -> Response? {
        methods.contains(method) ? nil : .refusal(listing: methods)
    }

    /// The parts of the pattern before the first value.
    ///
    /// Requests are counted by them.
    var prefix: String {
        "/" + pattern.split(separator: "/").prefix { !Self.isValue($0) }.joined(separator: "/")
    }

    /// Returns the values in `path` for the capitals of the pattern, or `nil` if the path does not match.
    func match(_ path: String) -> [String: String]? {
        let wanted = pattern.split(separator: "/")
        let parts = path.split(separator: "/", omittingEmptySubsequences: false).dropFirst()
        var given = parts == [""] ? [] : parts
        if pattern.hasSuffix("/"), given.last == "" { given.removeLast() }
        var values: [String: String] = [:]
        for part in wanted {
            guard !given.isEmpty else { return nil }
            if part == "NAME" {
                values["NAME"] = PercentEscapes.decodedText(given.joined(separator: "/"))
                return values["NAME"] == nil ? nil : values
            }
            if part == "PATH" {
                values["PATH"] = "/" + given.joined(separator: "/")
                return values
            }
            let value = given.removeFirst()
            if Self.isValue(part) {
                values[String(part)] = String(value)
            } else if part != value {
                return nil
            }
        }
        return given.isEmpty ? values : nil
    }

    private static func isValue(_ part: Substring) -> Bool {
        part.allSatisfy { $0.isUppercase || $0 == "_" }
    }
}

extension Response {
    /// The response to a method other than `methods`.
    static func refusal(listing methods: [String]) -> Response {
        let list = methods.joined(separator: ", ")
        var response = Response.text("This path supports \(list).", status: 405)
        response.fields.append(("Allow", list))
        return response
    }
}

/// A matching route, with the values in the path.
struct RouteMatch: Sendable {
    let route: OriginRoute
    let values: [String: String]

    /// The prefix under which the request is counted: without the fault prefix, if there is one.
    var prefix: String {
        guard let path = values["PATH"], let inner = RouteTable.match(path) else { return route.prefix }
        return inner.prefix
    }
}

/// The reason why a request does not receive its route's response.
enum OriginError: Error {
    /// The client left before the end, or neither sent nor read anything for too long.
    case hangUp
    /// The body was not read to its end, because the path selects that fault.
    case bodyCut
    /// The request is invalid, or its path selects a refusal. The response states the reason.
    case refused(Response)

    /// Creates a refusal with a message for readers.
    static func refusal(status: Int, message: String) -> OriginError {
        .refused(.text(message, status: status))
    }
}

/// A request that a route handles.
struct Call: Sendable {
    let site: Site
    let request: RequestHead
    let values: [String: String]
    /// The request's body, which the route may read.
    var body: RequestBody?
    /// The content that a fault changes, if it is not the picture in the path.
    var content: (@Sendable () async throws -> ServedPicture)?
    /// The deviations in a document.
    var document = DocumentFaults()
    /// The faults for what the request sends.
    var selected = SelectedFaults()

    /// Returns the picture in the path, or the content given instead.
    func picture() async throws -> ServedPicture {
        if let content { return try await content() }
        let name = values["NAME"] ?? ""
        guard let picture = try await site.pictures.picture(named: name) else {
            throw OriginError.refusal(
                status: 404,
                message: "There is no image with this name; see /list.txt."
            )
        }
        return picture
    }

    /// Returns the picture in the path, small enough for a list of many.
    func smallPicture() async throws -> ServedPicture {
        if let picture = try await site.smallPicture(named: values["NAME"] ?? "") { return picture }
        return try await picture()
    }

    /// Returns the picture that follows the one in the path in the list, as another version of it.
    func nextPicture() async throws -> ServedPicture {
        let names = site.pictures.names
        let index = names.firstIndex(of: values["NAME"] ?? "").map { ($0 + 1) % names.count }
        guard let index, let picture = try await site.pictures.picture(named: names[index]) else {
            return try await picture()
        }
        return picture
    }

    /// Returns the response with the picture, for the caller to change.
    func wholePicture() async throws -> Response {
        let picture = try await picture()
        return Response(
            fields: try PictureResponse.fields(of: picture, pictureParameters()),
            body: picture.bytes
        )
    }

    /// Parses the query of a picture.
    func pictureParameters() throws(OriginError) -> PictureParameters {
        try PictureParameters(request, cacheControl: site.cacheControl)
    }

    /// The key for the fault plan: the path, and for documents, whose paths contain no name, also the query.
    var faultKey: String {
        values["NAME"] == nil ? request.target : request.path
    }

    /// Returns the whole number in the path for `part`, which must be in `range`.
    func number(_ part: String, in range: ClosedRange<Int>) throws -> Int {
        guard let number = values[part].flatMap({ Int($0) }), range.contains(number) else {
            throw OriginError.refusal(
                status: 400,
                message: "\(part) must be a whole number from \(range.lowerBound) to \(range.upperBound)."
            )
        }
        return number
    }

    /// Returns the number in the path for `ID`.
    ///
    /// A number outside `range` results in 404.
    func id(in range: ClosedRange<Int>) throws -> Int {
        guard let number = values["ID"].flatMap({ Int($0) }), range.contains(number) else {
            throw OriginError.refusal(
                status: 404,
                message: "The numbers are \(range.lowerBound) to \(range.upperBound)."
            )
        }
        return number
    }

    /// Returns the whole number of a query item, which must be in `range`; 0 if there is no such item.
    func count(_ name: String, in range: ClosedRange<Int>) throws -> Int {
        guard let text = request.query(name) else { return 0 }
        guard let number = Int(text), range.contains(number) else {
            throw OriginError.refusal(
                status: 400,
                message: "\(name) must be a whole number from \(range.lowerBound) to \(range.upperBound)."
            )
        }
        return number
    }

    /// Returns the encoded path of the picture under `prefix`.
    func path(_ prefix: String) -> String {
        "\(prefix)/\(PercentEscapes.encodedPath(values["NAME"] ?? ""))"
    }
}
