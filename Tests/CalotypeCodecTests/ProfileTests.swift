import Testing

@testable import CalotypeCodec

struct ProfileTests {
    @Test func `a profile equal to sRGB is recognised by its numbers, not by its name`() {
        #expect(ICCProfile.isSRGB(HandMade.profile(HandMade.sRGB)))
        #expect(!ICCProfile.isSRGB(HandMade.profile(HandMade.adobeRGB)))
        #expect(!ICCProfile.isSRGB(HandMade.profile(HandMade.sRGB, curve: [2.2, 1, 0, 0, 0])))
        #expect(!ICCProfile.isSRGB(HandMade.profile(HandMade.sRGB, space: "CMYK")))
    }

    @Test func `every prefix of a profile is no sRGB and no crash`() {
        let whole = HandMade.profile(HandMade.sRGB)
        for length in 0..<whole.count { #expect(!ICCProfile.isSRGB(Array(whole[..<length]))) }
    }
}
