import CalotypeCatalog
import Testing

struct CatalogServicesTests {
    @Test func `a slash at the end of a base is of no meaning`() {
        #expect(CatalogServices(base: "http://a.example/") == CatalogServices(base: "http://a.example"))
    }
}
