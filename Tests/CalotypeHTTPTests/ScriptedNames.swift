import CScriptedNames

/// Names that this test program's `getaddrinfo` answers from a script.
enum ScriptedNames {
    /// Scripts `name`: addresses with commas between them, `fail` or `hang`; several answers in turn, semicolons between them.
    static func set(_ name: String, _ answers: String) {
        unsafe scripted_names_set(name, answers)
    }

    /// Ends the hanging lookups of `name`.
    static func release(_ name: String) {
        unsafe scripted_names_release(name)
    }

    /// How many times `name` was asked for, through whomever.
    static func calls(_ name: String) -> Int {
        unsafe Int(scripted_names_calls(name))
    }
}
