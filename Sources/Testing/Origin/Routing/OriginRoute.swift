import CalotypeHTTPMessages

/// A kind of path and what the origin answers to it.
struct OriginRoute: Sendable {
    /// Such as `/slow/BYTES_PER_S/NAME`.
    ///
    /// Parts in capitals stand for a value; `NAME` takes the rest of the path, and
    /// `PATH` takes it as it was sent. A path need not have a slash at the end that the pattern has.
    let pattern: String
    /// What happens, for people.
    let summary: String
    let respond: @Sendable (Call) async throws -> ResponseScript
    /// What is served, where it is a picture or a document that faults can spoil.
    let content: (@Sendable (Call) async throws -> ServedPicture)?
    /// What it answers; others are 405.
    private(set) var methods = ["GET", "HEAD"]
    /// Whether it takes what is sent, and faults of publishing can spoil it.
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

    /// The same route for other methods.
    func taking(_ methods: String...) -> OriginRoute {
        var route = self
        route.methods = methods
        return route
    }

    /// The response to a request with `method`; `nil` if the route takes the method.
    func refusal(of method: String) -> Response? {
        methods.contains(method) ? nil : .refusal(listing: methods)
    }

    /// The parts of the pattern before the first value, under which requests are counted.
    var prefix: String {
        "/" + pattern.split(separator: "/").prefix { !Self.isValue($0) }.joined(separator: "/")
    }

    /// The values in `path` for the capitals of the pattern; `nil` where the path is not of this kind.
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
        var response = Response.text("What is answered here is \(list).", status: 405)
        response.fields.append(("Allow", list))
        return response
    }
}

/// A route, and the values that a path has for it.
struct RouteMatch: Sendable {
    let route: OriginRoute
    let values: [String: String]

    /// Under what a request is counted: what a fault is put before is counted as without it.
    var prefix: String {
        guard let path = values["PATH"], let inner = RouteTable.match(path) else { return route.prefix }
        return inner.prefix
    }
}

/// Why a request gets no response of its route's.
enum OriginError: Error {
    /// The client left before the end, or neither sent nor read anything for too long.
    case hangUp
    /// The body is not read to its end, because the path asks for that.
    case bodyCut
    /// The request makes no sense, or its path asks for a refusal; the response says why.
    case refused(Response)

    /// A refusal whose message is for people.
    static func refusal(status: Int, message: String) -> OriginError {
        .refused(.text(message, status: status))
    }
}

/// A request on its way through a route.
struct Call: Sendable {
    let site: Site
    let request: RequestHead
    let values: [String: String]
    /// What the request carries, to be read by who wants it.
    var body: RequestBody?
    /// What a misbehaviour spoils, where that is not the picture that the path names.
    var content: (@Sendable () async throws -> ServedPicture)?
    /// What a document says other than usual.
    var document = DocumentWish()
    /// What goes wrong with what is sent.
    var wish = PublishWish()

    /// The picture that the path names, or the content given instead.
    func picture() async throws -> ServedPicture {
        if let content { return try await content() }
        let name = values["NAME"] ?? ""
        guard let picture = try await site.pictures.picture(named: name) else {
            throw OriginError.refusal(
                status: 404,
                message: "There is no picture of this name; /list.txt has those there are."
            )
        }
        return picture
    }

    /// The picture that the path names, small enough for a list of many.
    func smallPicture() async throws -> ServedPicture {
        if let picture = try await site.smallPicture(named: values["NAME"] ?? "") { return picture }
        return try await picture()
    }

    /// The picture that comes after the one that the path names in the list, as another version of it.
    func nextPicture() async throws -> ServedPicture {
        let names = site.pictures.names
        let index = names.firstIndex(of: values["NAME"] ?? "").map { ($0 + 1) % names.count }
        guard let index, let picture = try await site.pictures.picture(named: names[index]) else {
            return try await picture()
        }
        return picture
    }

    /// The response with the picture, which the caller then spoils.
    func wholePicture() async throws -> Response {
        let picture = try await picture()
        return Response(fields: try PictureResponse.fields(of: picture, pictureQuery()), body: picture.bytes)
    }

    /// What the query wants different about a picture.
    func pictureQuery() throws(OriginError) -> PictureQuery {
        try PictureQuery(request, cacheControl: site.cacheControl)
    }

    /// What the plan of faults goes by: the path, and for a document, which has no name in the path, its query too.
    var faultKey: String {
        values["NAME"] == nil ? request.target : request.path
    }

    /// The whole number in the path for `part`, which must lie in `range`.
    func number(_ part: String, in range: ClosedRange<Int>) throws -> Int {
        guard let number = values[part].flatMap({ Int($0) }), range.contains(number) else {
            throw OriginError.refusal(
                status: 400,
                message: "\(part) is a whole number from \(range.lowerBound) to \(range.upperBound)."
            )
        }
        return number
    }

    /// The number in the path for `ID`; the client is told 404 for one that is not in `range`.
    func id(in range: ClosedRange<Int>) throws -> Int {
        guard let number = values["ID"].flatMap({ Int($0) }), range.contains(number) else {
            throw OriginError.refusal(
                status: 404,
                message: "There are numbers \(range.lowerBound) to \(range.upperBound) only."
            )
        }
        return number
    }

    /// The whole number of a query item, which must lie in `range`; 0 where there is no such item.
    func count(_ name: String, in range: ClosedRange<Int>) throws -> Int {
        guard let text = request.query(name) else { return 0 }
        guard let number = Int(text), range.contains(number) else {
            throw OriginError.refusal(
                status: 400,
                message: "\(name) is a whole number from \(range.lowerBound) to \(range.upperBound)."
            )
        }
        return number
    }

    /// The encoded path of the picture under `prefix`.
    func path(_ prefix: String) -> String {
        "\(prefix)/\(PercentEscapes.encodedPath(values["NAME"] ?? ""))"
    }
}
