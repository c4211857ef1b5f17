import CalotypePlatform

@testable import CalotypeCodec

/// Stores JPEGs in other scans, with the program of libjpeg-turbo.
enum JPEGTran {
    /// Orders of scans that encoders do not use on their own: bands apart, in odd orders, and refined in many steps.
    static let scripts = [
        "0,1,2: 0-0, 0, 0; 0: 1-5, 0, 0; 0: 6-63, 0, 0; 2: 1-63, 0, 0; 1: 1-63, 0, 0;",
        """
        0: 0-0, 0, 2; 1,2: 0-0, 0, 1; 0: 30-63, 0, 1; 0: 1-29, 0, 3; 0: 1-9, 3, 2; 0: 10-29, 3, 2; 1: 1-63, 0, 1;
        2: 1-63, 0, 2; 0: 1-29, 2, 1; 2: 1-63, 2, 1; 0: 0-0, 2, 1; 0: 1-63, 1, 0; 2: 1-40, 1, 0; 2: 41-63, 1, 0;
        1: 1-63, 1, 0; 0,1,2: 0-0, 1, 0;
        """,
    ]

    /// Returns `jpeg` in the scans that `script` lists, with a restart marker after so many `restart` units.
    static func rescanned(_ jpeg: [UInt8], _ script: String, restart: Int = 0) async throws -> [UInt8] {
        try await withTemporaryFile(jpeg) { input in
            try await withTemporaryFile(Array(script.utf8)) { list in
                let output = input + ".out"
                defer { unsafe unlink(output) }
                let command =
                    "jpegtran -copy none -restart \(restart)B -scans '\(list)' -outfile '\(output)' '\(input)'"
                guard unsafe system(command) == 0 else { throw Failure(command: command) }
                return try EncodedSource(.file(path: output)).bytes()
            }
        }
    }

    struct Failure: Error {
        let command: String
    }
}
