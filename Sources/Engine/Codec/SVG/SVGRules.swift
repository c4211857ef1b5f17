/// The parts of a drawing that are kept.
enum SVGRules {
    /// The elements that are kept, by their local names; the others are left out with all that they contain.
    private static let elements: Set<String> = [
        "svg", "g", "defs", "symbol", "use", "switch", "a", "style", "path", "rect", "circle", "ellipse",
        "line",
        "polyline", "polygon", "linearGradient", "radialGradient", "stop", "pattern", "mask", "clipPath",
        "marker", "filter", "feBlend", "feColorMatrix", "feComponentTransfer", "feComposite",
        "feConvolveMatrix", "feDiffuseLighting", "feDisplacementMap", "feDistantLight", "feDropShadow",
        "feFlood", "feFuncA", "feFuncB", "feFuncG", "feFuncR", "feGaussianBlur", "feMerge", "feMergeNode",
        "feMorphology", "feOffset", "fePointLight", "feSpecularLighting", "feSpotLight", "feTile",
        "feTurbulence",
    ]

    /// The elements that have text.
    static let texts: Set<String> = ["text", "tspan", "textPath", "title", "desc"]

    /// Whether an element is kept in a drawing that `isDrawn` here, or else in one that a browser draws.
    static func isKept(_ element: String, isDrawn: Bool) -> Bool {
        elements.contains(element) || texts.contains(element) || !isDrawn && element == "image"
    }

    /// Why a drawing with this element would be drawn wrongly; `nil` if it would not be.
    ///
    /// A worker process has the fonts of the machine, and no loaders for pictures in a drawing. Pictures that are
    /// not in it are left out, as browsers do in an `img`.
    static func refusal(_ element: String, _ attributes: [XMLScanner.Attribute]) -> String? {
        switch element {
        case "text":
            let remedy = "on Debian: apt-get install fonts-dejavu-core"
            return Libvips.hasFonts ? nil : "it has text, and no font is installed (\(remedy))"
        case "textPath": return "it has text along a path, which is not drawn"
        case "image", "feImage":
            let isInside = attributes.contains {
                isReference($0.name) && $0.value.lowercased().hasPrefix("data:")
            }
            return isInside ? "it contains a picture that is not drawn" : nil
        default: return nil
        }
    }

    /// Returns the value with which `element` keeps an attribute; `nil` if the attribute is left out.
    static func kept(_ attribute: XMLScanner.Attribute, on element: String, isDrawn: Bool) -> String? {
        let (name, value) = (attribute.name, attribute.value)
        if isReference(name) {
            if element == "image" { return SVGStyle.isPicture(value) ? value : nil }
            return element != "a" && value.hasPrefix("#") ? value : nil
        }
        if name == "xml:space" { return value }
        let isOdd = name.contains(":") || name == "xmlns" || name.lowercased().hasPrefix("on")
        return isOdd ? nil : isDrawn ? value : SVGStyle.local(value)
    }

    /// A style without a size: the drawing has another one here.
    static func unsized(style: String) -> String {
        let declarations = style.split(separator: ";").filter { declaration in
            let name = declaration.prefix { $0 != ":" }.filter { !$0.isWhitespace }.lowercased()
            return name != "width" && name != "height"
        }
        return declarations.joined(separator: ";")
    }

    private static func isReference(_ name: String) -> Bool {
        // XML distinguishes upper and lower case, but HTML does not, and a page may embed the drawing.
        ["href", "xlink:href"].contains(name.lowercased())
    }
}
