import Foundation

@testable import CalotypeHTTP

/// An nginx on loopback with HTTP and HTTPS, its certificates made for the test and gone with it.
struct NginxServer {
    /// Why nginx could not be had.
    struct Unavailable: Error, CustomStringConvertible {
        let description: String
    }

    let folder: URL
    let port: Int
    /// HTTPS with HTTP/2; the certificate is for `good.scripted.test` and 127.0.0.1.
    let securePort: Int
    /// HTTPS whose certificate has expired.
    let expiredPort: Int

    /// The certificate that the others are signed with.
    var authority: String { folder.appending(path: "ca.pem").path }

    /// Runs `body` with nginx serving `/f` with `bytes` bytes.
    static func run<Output>(bytes: Int, _ body: (NginxServer) async throws -> Output) async throws -> Output {
        let folder = FileManager.default.temporaryDirectory.appending(path: "calotype-\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let ports = try await freePorts(3)
        let server = NginxServer(folder: folder, port: ports[0], securePort: ports[1], expiredPort: ports[2])
        try server.makeCertificates()
        try Data(repeating: 7, count: bytes).write(to: folder.appending(path: "f"))
        try Data(server.configuration.utf8).write(to: folder.appending(path: "nginx.conf"))
        let process = try server.launch([
            "/usr/sbin/nginx", "-p", folder.path, "-e", "error.log", "-c", "nginx.conf",
        ])
        // A child started late inherits a signal mask that blocks all signals but this one.
        defer {
            kill(process.processIdentifier, SIGKILL)
            process.waitUntilExit()
        }
        try await server.waitUntilReady(process)
        return try await body(server)
    }

    func url(_ path: String = "/f", scheme: String = "http", host: String = "127.0.0.1") throws -> WebURL {
        try WebURL("\(scheme)://\(host):\(scheme == "http" ? port : securePort)\(path)")
    }

    private var configuration: String {
        """
        daemon off; master_process off; pid nginx.pid; error_log error.log;
        events { worker_connections 512; }
        http {
            dav_methods PUT DELETE; create_full_put_path on; client_max_body_size 20m;
            access_log off; root \(folder.path); default_type application/octet-stream;
            client_body_temp_path t1; proxy_temp_path t2; fastcgi_temp_path t3; uwsgi_temp_path t4; scgi_temp_path t5;
            server { listen 127.0.0.1:\(port); }
            server { listen 127.0.0.1:\(securePort) ssl http2; ssl_certificate good.pem; ssl_certificate_key key.pem; }
            server { listen 127.0.0.1:\(expiredPort) ssl; ssl_certificate expired.pem; ssl_certificate_key key.pem; }
        }
        """
    }

    private func makeCertificates() throws {
        let script = """
            set -e
            openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout ca.key -out ca.pem -days 2 \
                -subj /CN=test-authority
            openssl req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout key.pem -out request.pem \
                -subj /CN=good.scripted.test
            printf 'subjectAltName=DNS:good.scripted.test,IP:127.0.0.1' > names
            openssl x509 -req -in request.pem -CA ca.pem -CAkey ca.key -CAcreateserial -extfile names -days 2 -out good.pem
            openssl x509 -req -in request.pem -CA ca.pem -CAkey ca.key -CAcreateserial -extfile names -days -1 -out expired.pem
            """
        let process = try launch(["/bin/sh", "-c", script])
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            throw Unavailable(description: "openssl made no certificates")
        }
    }

    private func launch(_ command: [String]) throws -> Process {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: command[0])
        process.arguments = Array(command.dropFirst())
        process.currentDirectoryURL = folder
        process.standardError = FileHandle.nullDevice
        process.standardOutput = FileHandle.nullDevice
        try process.run()
        return process
    }

    private func waitUntilReady(_ process: Process) async throws {
        try await withCurlTransport { transport in
            while process.isRunning {
                if (try? await transport.body(HTTPRequest(url()))) != nil { return }
                await Task.yield()
            }
            throw Unavailable(description: "nginx did not start; script/test installs nginx-light")
        }
    }

    /// Ports that were free a moment ago.
    private static func freePorts(_ count: Int) async throws -> [Int] {
        let servers = (0..<count).map { _ in ScriptedServer { _ in } }
        let ports = servers.map { Int($0.port) }
        for server in servers { await server.stop() }
        return ports
    }
}
