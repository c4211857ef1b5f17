import CalotypePublish
import Testing

@Suite struct SecretTests {
    @Test func `a secret is never shown, in any form of output`() {
        let secret = Secret("hunter2")
        var dumped = ""
        dump([secret], to: &dumped)
        for text in ["\(secret)", "\([secret])", String(reflecting: secret), dumped] {
            #expect(!text.contains("hunter2"))
        }
    }
}
