// SwiftPM takes XCTMain.swift from the folder above a test target, and each target needs a file.
