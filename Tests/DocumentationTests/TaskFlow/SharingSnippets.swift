import CalotypeTestKit
import TaskFlow
import Testing

@Suite(.timeLimit(.minutes(1))) struct SharingSnippets {
    // snippet: Sharing.service
    final class WeatherService: Sendable {
        private let flights: Coalescer<String, Forecast>

        init(scope: TaskScope) {
            flights = Coalescer(scope: scope, name: "forecast")
        }

        func forecast(for city: String) async throws -> Forecast {
            try await flights.value(for: city) { _ in
                try await fetchForecast(city)
            }
        }
    }
    // end

    private let city = "Lisbon"
    private let gate = AdmissionGate(capacity: 1)

    @Test func `callers of a service share`() async throws {
        try await withTaskScope { scope in
            let service = WeatherService(scope: scope)
            let forecast = try await service.forecast(for: city)
            #expect(forecast == Forecast(city: "Lisbon"))
        }
    }

    @Test func `a flight has the priority of its callers`() async throws {
        try await withTaskScope { scope in
            let flights = Coalescer<String, Forecast>(scope: scope)
            // snippet: Sharing.priority
            let forecast = try await flights.value(for: city, priority: .high) { flight in
                try await gate.withPermit(priority: flight.priority) {
                    try await fetchForecast(city)
                }
            }
            // end
            #expect(forecast.city == city)
        }
    }

    @Test func `a caller's priority changes`() async throws {
        try await withTaskScope { scope in
            let flights = Coalescer<String, Forecast>(scope: scope)
            // snippet: Sharing.livePriority
            let priority = LivePriority(.low)
            async let forecast = flights.value(for: city, priority: priority) { flight in
                try await gate.withPermit(priority: flight.priority) {
                    try await fetchForecast(city)
                }
            }
            // The city came into view.
            priority.set(.high)
            // end
            _ = try await forecast
        }
    }
}

struct Forecast: Hashable, Sendable {
    var city: String
}

private func fetchForecast(_ city: String) async throws -> Forecast {
    Forecast(city: city)
}
