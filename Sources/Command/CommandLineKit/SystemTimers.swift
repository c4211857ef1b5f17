import Dispatch

/// The descriptors that libdispatch and Swift's clocks use for as long as the process lives.
///
/// They are made at the first use. Where none is left then, libdispatch ends the process, or timers never fire. So a program
/// has them made while there are some.
public enum SystemTimers: Sendable {
    /// Lets each kind of timer fire once; takes a millisecond.
    public static func prepare() async {
        async let continuous: ()? = try? ContinuousClock().sleep(for: .microseconds(100))
        async let suspending: ()? = try? SuspendingClock().sleep(for: .microseconds(100))
        await withCheckedContinuation { fired in
            let timer = DispatchSource.makeTimerSource(queue: .global())
            timer.schedule(deadline: .now())
            timer.setEventHandler {
                timer.cancel()
                fired.resume()
            }
            timer.resume()
        }
        _ = await (continuous, suspending)
    }
}
