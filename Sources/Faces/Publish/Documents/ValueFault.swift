/// Why a text is no value of the kind that is wanted, worded for people.
struct ValueFault: Error {
    let reason: String
}
