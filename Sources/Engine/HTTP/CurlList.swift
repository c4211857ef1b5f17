import CalotypeCCurl

/// A list of texts as libcurl takes it; owner of the `curl_slist`.
@safe struct CurlList: ~Copyable {
    private(set) var head: UnsafeMutablePointer<curl_slist>?

    init(_ lines: some Sequence<String>) {
        unsafe head = nil
        for line in lines {
            // Without memory the list stays as it is: libcurl returns NULL and leaves it alone.
            if let longer = unsafe curl_slist_append(head, line) { unsafe head = longer }
        }
    }

    deinit {
        unsafe curl_slist_free_all(head)
    }
}
