import CalotypeHTTPMessages
import Testing

@testable import CalotypeHTTP

@Suite struct IPAddressTests {
    @Test(arguments: ["1.2.3.4", "255.255.255.255", "::", "::1", "2001:db8::1", "fe80::1", "::ffff:1.2.3.4"])
    func `an address survives being written`(text: String) {
        #expect(IPAddress(text)?.description == text)
    }

    @Test(arguments: [
        "", "1.2.3", "1.2.3.256", "0x7f.1.1.1", "1.2.3.4\u{0}", "[::1]", "fe80::1%lo", "example.com",
    ])
    func `what is no plain address is none`(text: String) {
        #expect(IPAddress(text) == nil)
    }

    @Test(arguments: [
        "0.0.0.0", "0.1.2.3", "10.0.0.1", "10.255.255.255", "100.64.0.1", "100.100.100.200",
        "100.127.255.255",
        "127.0.0.1", "127.255.255.254", "169.254.169.254", "172.16.0.1", "172.31.255.255", "192.0.0.8",
        "192.0.2.1",
        "192.168.1.1", "198.18.0.1", "198.19.255.255", "198.51.100.1", "203.0.113.9", "224.0.0.1",
        "239.1.1.1",
        "240.0.0.1", "255.255.255.255", "::", "::1", "::127.0.0.1", "::8.8.8.8", "fc00::1", "fd00::1",
        "fe80::1",
        "fec0::1", "ff02::1", "2001:db8::1", "::ffff:127.0.0.1", "::ffff:7f00:1", "::ffff:10.0.0.1",
        "64:ff9b::7f00:1", "64:ff9b::a9fe:a9fe", "64:ff9b:1::8.8.8.8", "2002:7f00:1::", "2002:a00:1::1",
        "2001:0:808:808::80ff:fffe", "2001:0:7f00:1::f7f7:f7f7", "100::1", "4000::1",
    ])
    func `a special address is not public`(text: String) throws {
        let address = try #require(IPAddress(text))
        #expect(!address.isPublic)
        #expect(!AddressPolicy.publicOnly.allows(address))
        #expect(AddressPolicy.any.allows(address))
    }

    @Test(arguments: [
        "1.1.1.1", "8.8.8.8", "9.255.255.255", "11.0.0.0", "100.63.255.255", "100.128.0.0", "126.255.255.255",
        "128.0.0.1", "169.253.1.1", "172.15.255.255", "172.32.0.0", "192.167.1.1", "198.17.1.1", "198.20.0.0",
        "223.255.255.255", "2606:4700::1111", "::ffff:8.8.8.8", "64:ff9b::808:808", "2002:808:808::1",
        "2001:0:808:808::f7f7:f7f7",
    ])
    func `an address next to a special one is public`(text: String) throws {
        #expect(try #require(IPAddress(text)).isPublic)
    }

    private static let kinds: [(AddressPolicy, [String])] = [
        (
            .metadata,
            [
                "169.254.169.254", "169.254.170.2", "100.100.100.200", "fd00:ec2::254", "fe80::a9fe:a9fe",
                "64:ff9b::a9fe:a9fe", "::ffff:169.254.169.254",
            ]
        ),
        (.loopback, ["127.0.0.1", "127.255.255.255", "::1", "::ffff:127.0.0.1"]),
        (.linkLocal, ["169.254.0.1", "169.254.168.255", "fe80::1", "febf::1", "64:ff9b::a9fe:1"]),
        (
            .privateNetworks,
            [
                "10.0.0.0", "10.255.255.255", "172.16.0.1", "172.31.255.255", "192.168.255.1", "fc00::1",
                "fd00::1",
            ]
        ),
        (
            .special,
            [
                "0.0.0.0", "::", "100.64.0.1", "192.0.0.1", "224.0.0.1", "255.255.255.255", "fec0::1",
                "ff02::1", "::127.0.0.1",
            ]
        ),
    ]

    @Test func `an address of one kind is allowed by that kind alone`() throws {
        let kinds: [AddressPolicy] = [.loopback, .linkLocal, .privateNetworks, .special, .metadata]
        for (kind, texts) in Self.kinds {
            for text in texts {
                let address = try #require(IPAddress(text))
                #expect(kinds.filter { $0.allows(address) } == [kind], "\(text)")
                #expect(!AddressPolicy.any.subtracting(kind).allows(address), "\(text)")
            }
        }
        let ofTwoKinds = try #require(IPAddress("2001:0:7f00:1::f5ff:fffe"))
        #expect(!AddressPolicy.loopback.allows(ofTwoKinds))
        let both: AddressPolicy = [.loopback, .privateNetworks]
        #expect(both.allows(ofTwoKinds))
    }

    @Test(arguments: [
        ("10.1.2.3", true), ("11.0.0.1", true), ("192.168.0.1", false), ("::ffff:10.0.0.1", true),
        ("::ffff:192.168.0.1", false), ("fd00::7", true), ("fd00:1::7", false), ("127.0.0.1", false),
    ])
    func `networks are allowed beside public addresses`(_ text: String, _ isAllowed: Bool) throws {
        let policy = AddressPolicy(networks: ["10.0.0.0/8", "fd00::/32"].compactMap { IPNetwork($0) })
        #expect(policy.networks.count == 2)
        #expect(policy.allows(try #require(IPAddress(text))) == isAllowed)
    }

    @Test(arguments: ["169.254.169.254", "fd00:ec2::254", "100.100.100.200"])
    func `a metadata service is allowed only by its own address`(text: String) throws {
        let address = try #require(IPAddress(text))
        let wide = ["0.0.0.0/0", "::/0", "169.254.169.254/31", "fd00:ec2::/32"].compactMap { IPNetwork($0) }
        #expect(wide.count == 4)
        #expect(!AddressPolicy.allPrivate.union(AddressPolicy(networks: wide)).allows(address))
        #expect(AddressPolicy(networks: [try #require(IPNetwork(text))]).allows(address))
        #expect(AddressPolicy.any.allows(address))
    }

    @Test(arguments: [
        ("10.1.2.3/8", "10.0.0.0/8"), ("10.1.2.3", "10.1.2.3"), ("10.1.2.3/32", "10.1.2.3"), ("::/0", "::/0"),
        ("fd12:3456::1/16", "fd12::/16"), ("::1", "::1"), ("0.0.0.0/0", "0.0.0.0/0"),
    ])
    func `a network is written as its first address and the length`(_ text: String, _ written: String) {
        #expect(IPNetwork(text)?.description == written)
    }

    @Test(arguments: [
        "", "/8", "10.0.0.0/", "10.0.0.0/33", "10.0.0.0/-1", "10.0.0.0/+8", "10.0.0/8", "::/129",
        "10.0.0.0/8/8",
        "list.txt", "10.0.0.0 /8",
    ])
    func `what is no network is none`(text: String) {
        #expect(IPNetwork(text) == nil)
    }
}
