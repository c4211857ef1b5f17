-- Asks for one path of a list after the other, each thread for its share; tells the figures as one line of JSON.
--   wrk ... --script walk.lua URL -- LIST FIRST_WIDTH
-- WIDTH in a path is a number that grows with each pass over the list, so that no answer can come from a cache.
-- With FIRST_WIDTH 0 paths are sent as they are.
local count = 0

function setup(thread)
    thread:set("number", count)
    count = count + 1
    thread:set("threads", 0)
    all = all or {}
    table.insert(all, thread)
    for _, each in ipairs(all) do each:set("threads", count) end
end

function init(arguments)
    paths = {}
    for path in io.lines(arguments[1]) do table.insert(paths, path) end
    width = tonumber(arguments[2])
    made = 0
    bad = 0
end

function request()
    -- wrk asks the first thread once before it knows how many there are: nothing is kept of that but the count.
    local at = number + threads * made
    made = made + 1
    local path = paths[at % #paths + 1]
    if width > 0 then path = path:gsub("WIDTH", tostring(width + math.floor(at / #paths))) end
    return wrk.format("GET", path)
end

function response(status)
    if status ~= 200 then bad = bad + 1 end
end

function done(summary, latency, requests)
    local wrong = 0
    for _, thread in ipairs(all) do wrong = wrong + thread:get("bad") end
    local errors = summary.errors
    io.write(string.format(
        '{"seconds": %f, "requests": %d, "bytes": %d, "wrong": %d, "failed": %d, "p50": %f, "p99": %f}\n',
        summary.duration / 1e6, summary.requests, summary.bytes, wrong,
        errors.connect + errors.read + errors.write + errors.timeout,
        latency:percentile(50) / 1000, latency:percentile(99) / 1000
    ))
end
