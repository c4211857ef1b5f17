import CalotypeCore
import Testing

@testable import CalotypePublish

@Suite struct PublishFailureTests {
    @Test(arguments: [
        (
            ErrorCode.connectFailed, CalotypeError.Stage.connect, PublishFailure.Remedy.retry,
            PublishFailure.Remedy.retry
        ),
        (.connectionReset, .response, .retry, .settle), (.timeoutIdle, .request, .retry, .settle),
        (.http(status: 302), .response, .none, .settle), (.tooManyRedirects, .response, .none, .settle),
        (.emptyResult, .body, .none, .settle), (.tlsFailed, .connect, .none, .none),
        (.invalidRequest, .request, .none, .none),
    ])
    func `what failed after the request may have arrived leaves a post open (P04)`(
        code: ErrorCode,
        stage: CalotypeError.Stage,
        remedy: PublishFailure.Remedy,
        remedyOfPost: PublishFailure.Remedy
    ) {
        let error = CalotypeError(code, "no", stage: stage)
        #expect(PublishFailure(error).remedy == remedy)
        #expect(PublishFailure(error, isPost: true).remedy == remedyOfPost)
    }

    @Test func `a URL is told without its query`() {
        let error = CalotypeError(
            .connectionReset,
            "cut",
            stage: .response,
            url: "https://a.test/b?sig=hunter2"
        )
        #expect(PublishFailure(error).error.url == "https://a.test/b")
        let failure = PublishFailure(PublishFailure(error, .busy), isPost: true)
        #expect(failure.error.url == "https://a.test/b")
        #expect(failure.remedy == .busy)
    }
}
