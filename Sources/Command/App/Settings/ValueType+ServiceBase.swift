package import CalotypeCommandLineKit
import CalotypeCore
import CalotypeHTTP

extension ValueType where Value == String {
    /// The URL that the catalogue's services are below.
    package static var serviceBase: ValueType {
        ValueType(placeholder: "URL") { text throws(ValueProblem) in
            do throws(CalotypeError) {
                _ = try WebURL(text)
            } catch {
                throw ValueProblem(
                    "is not the URL of a server such as http://127.0.0.1:8080: \(error.message)"
                )
            }
            guard !text.contains("?"), !text.contains("#") else {
                throw ValueProblem("has a query, which the base of services cannot have")
            }
            return text
        }
    }
}
