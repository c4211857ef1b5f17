import CalotypeCore
import Testing

@testable import CalotypePublish

@Suite struct PublishFailureTests {
    @Test(arguments: [
        (
            ErrorCode.connectFailed, CalotypeError.Stage.connect, PublishError.Remedy.retry,
            PublishError.Remedy.retry
        ),
        (.connectionReset, .response, .retry, .settle), (.timeoutIdle, .request, .retry, .settle),
        (.http(status: 302), .response, .none, .settle), (.tooManyRedirects, .response, .none, .settle),
        (.emptyResult, .body, .none, .settle), (.tlsFailed, .connect, .none, .none),
        (.invalidRequest, .request, .none, .none),
    ])
    func `what failed after the request may have arrived leaves a post open`(
        code: ErrorCode,
        stage: CalotypeError.Stage,
        remedy: PublishError.Remedy,
        remedyOfPost: PublishError.Remedy
    ) {
        let error = CalotypeError(code, "no", stage: stage)
        #expect(PublishError(error).remedy == remedy)
        #expect(PublishError(error, isPost: true).remedy == remedyOfPost)
    }

    @Test func `a URL is reported without its query`() {
        let error = CalotypeError(
            .connectionReset,
            "cut",
            stage: .response,
            url: "https://a.test/b?sig=hunter2"
        )
        #expect(PublishError(error).error.url == "https://a.test/b")
        let failure = PublishError(PublishError(error, .busy), isPost: true)
        #expect(failure.error.url == "https://a.test/b")
        #expect(failure.remedy == .busy)
    }
}
