import CalotypeCore
import CalotypeHTTP
import CalotypeTestKit

extension ScriptedAnswer {
    /// The connection is cut before an answer.
    static var cutConnection: ScriptedAnswer {
        .failure(CalotypeError(.connectionReset, "the connection was cut", stage: .response))
    }
}

extension HTTPRequest {
    /// Whether it sends the part `number`.
    func isPart(_ number: Int) -> Bool {
        method == .put && url.text.contains("partNumber=\(number)&")
    }
}
