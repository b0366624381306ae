-- Counts failed logins in sliding windows, per account name or address, in one step, because two gateways may count at once.
--
-- KEYS     for each name of the login: the sorted set of its running attempts, then one sorted set of its failures for each rule;
--          members are request ids, scores are times in microseconds. The first name decides. If another one is over its limit, nothing
--          is counted
-- ARGV[1]  `begin`: an attempt whose outcome is unknown takes a slot
--          `fail`: a login without a slot failed
--          `settle`: an attempt with a slot failed
--          `release`: an attempt with a slot did not fail
-- ARGV[2]  request id
-- ARGV[3]  the longest time in seconds that an attempt may run; its slot is free after that
-- ARGV[4]  the time in microseconds, where it is moved by hand; empty for the time of Redis, the same for every gateway
-- ARGV[3 + 2i] window of rule i in seconds, ARGV[4 + 2i] its most failures
--
-- Returns { outcome, rule, microseconds until an attempt is accepted, microseconds until the window is clear }. The outcome is 1:
-- accepted; 0: refused, because failures alone reach the limit; 2: failures and running attempts reach it, so call again. Only an
-- accepted login is counted. Failures and running attempts together never exceed the limit, so the limit is exact. All keys
-- expire.

local mode, id, underwaySecs = ARGV[1], ARGV[2], tonumber(ARGV[3])
local rules = (#ARGV - 4) / 2
local clock = redis.call('TIME')
local now = tonumber(ARGV[4]) or clock[1] * 1000000 + clock[2]

local function text(number)
  return string.format('%.0f', number)
end

local function addFailure(first)
  for rule = 1, rules do
    redis.call('ZADD', KEYS[first + rule], text(now), id)
    redis.call('PEXPIRE', KEYS[first + rule], tonumber(ARGV[3 + 2 * rule]) * 1000)
  end
end

if mode == 'settle' or mode == 'release' then
  for first = 1, #KEYS, rules + 1 do
    redis.call('ZREM', KEYS[first], id)
    if mode == 'settle' then addFailure(first) end
  end
  return { 1, 1, 0, 0 }
end

local refusal, mustWait, isCounted = nil, false, true
for first = 1, #KEYS, rules + 1 do
  redis.call('ZREMRANGEBYSCORE', KEYS[first], '-inf', text(now - underwaySecs * 1000000))
  local underway = redis.call('ZCARD', KEYS[first])
  for rule = 1, rules do
    local failures = KEYS[first + rule]
    local window = tonumber(ARGV[3 + 2 * rule]) * 1000000
    local most = tonumber(ARGV[4 + 2 * rule])
    redis.call('ZREMRANGEBYSCORE', failures, '-inf', text(now - window))
    local used = redis.call('ZCARD', failures)
    if used >= most and first > 1 then
      isCounted = false
    elseif used >= most then
      local oldest = redis.call('ZREVRANGE', failures, most - 1, most - 1, 'WITHSCORES')
      local newest = redis.call('ZREVRANGE', failures, 0, 0, 'WITHSCORES')
      local wait = math.max(tonumber(oldest[2]) + window - now, 1)
      if refusal == nil or wait > refusal[3] then
        refusal = { 0, rule, wait, tonumber(newest[2]) + window - now }
      end
    elseif first == 1 and used + underway >= most then
      mustWait = true
    end
  end
end
if refusal ~= nil then return refusal end
if mustWait then return { 2, 1, 0, 0 } end
if not isCounted then return { 1, 1, 0, 0 } end

for first = 1, #KEYS, rules + 1 do
  if mode == 'begin' then
    redis.call('ZADD', KEYS[first], text(now), id)
    redis.call('PEXPIRE', KEYS[first], underwaySecs * 1000)
  else
    addFailure(first)
  end
end
return { 1, 1, 0, 0 }
