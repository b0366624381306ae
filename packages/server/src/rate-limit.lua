-- Counts a request in sliding windows, or refuses it, in one step, because two gateways may count at once.
--
-- KEYS[i]  sorted set of accepted requests for rule i: member `time:request id:n`, score the time in microseconds
-- ARGV[1]  request id
-- ARGV[2]  the time in microseconds, where it is moved by hand; empty for the time of Redis, the same for every gateway
-- ARGV[3]  as how many requests it counts
-- ARGV[4]  `after` if the request was accepted before, and this is counted in addition; it is not refused then
-- ARGV[2i+3] window of rule i in seconds, ARGV[2i+4] its most requests
--
-- Returns { accepted (1 or 0), rule, remaining, microseconds until a request is accepted, microseconds until the window is
-- clear }. `rule` is the refusing one, or otherwise the one with the fewest remaining requests. A refused request is not counted. One that
-- counts as several is accepted as long as one is left. Keys expire with their window.

local clock = redis.call('TIME')
local now = tonumber(ARGV[2]) or clock[1] * 1000000 + clock[2]
local cost = tonumber(ARGV[3])
local isRefusable = ARGV[4] ~= 'after'
local tightest, remaining = 1, nil

for i = 1, #KEYS do
  local window = tonumber(ARGV[2 * i + 3]) * 1000000
  local most = tonumber(ARGV[2 * i + 4])
  redis.call('ZREMRANGEBYSCORE', KEYS[i], '-inf', string.format('%.0f', now - window))
  local used = redis.call('ZCARD', KEYS[i])
  if used >= most and isRefusable then
    -- Below the limit again when the request at position `most` from the newest has left the window.
    local oldest = redis.call('ZREVRANGE', KEYS[i], most - 1, most - 1, 'WITHSCORES')
    local newest = redis.call('ZREVRANGE', KEYS[i], 0, 0, 'WITHSCORES')
    return { 0, i, 0, math.max(tonumber(oldest[2]) + window - now, 1), tonumber(newest[2]) + window - now }
  end
  local left = math.max(most - used - cost, 0)
  if remaining == nil or left < remaining then
    tightest, remaining = i, left
  end
end

local time = string.format('%.0f', now)
for i = 1, #KEYS do
  for n = 1, cost do
    redis.call('ZADD', KEYS[i], time, time .. ':' .. ARGV[1] .. ':' .. ARGV[4] .. n)
  end
  redis.call('PEXPIRE', KEYS[i], tonumber(ARGV[2 * i + 3]) * 1000)
end
return { 1, tightest, remaining, 0, tonumber(ARGV[2 * tightest + 3]) * 1000000 }
