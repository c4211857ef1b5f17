import CalotypeCore
import CalotypeHTTP
import CalotypeTestKit

extension ScriptedResponse {
    /// The connection is cut before an answer.
    static var cutConnection: ScriptedResponse {
        .failure(CalotypeError(.connectionReset, "the connection was cut", stage: .response))
    }
}

extension HTTPRequest {
    /// Whether it sends the part `number`.
    func isPart(_ number: Int) -> Bool {
        method == .put && url.text.contains("partNumber=\(number)&")
    }
}
