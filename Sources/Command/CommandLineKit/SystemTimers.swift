import Dispatch

/// The descriptors that libdispatch and Swift's clocks use for as long as the process lives.
///
/// The system creates them at the first use. If no descriptor is free then, libdispatch ends the process, or
/// timers never fire. So a program creates them at the start.
public enum SystemTimers: Sendable {
    /// Fires each kind of timer once, which takes a millisecond.
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
