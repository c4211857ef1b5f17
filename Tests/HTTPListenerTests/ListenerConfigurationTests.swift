import HTTPListener
import Testing

@Suite
struct ListenerConfigurationTests {
    @Test func `a listener keeps to this machine unless told otherwise`() {
        #expect(HTTPListenerConfiguration().host == "127.0.0.1")
    }
}
