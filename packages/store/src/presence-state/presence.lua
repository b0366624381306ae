-- The presence of everybody, shared by all replicas. One step each, because replicas ask at the same time.
--
-- KEYS[1]  hash: user id -> JSON object of client -> [status, milliseconds]; `@generation` and `@version` beside them
-- KEYS[2]  sorted set: user id by the version at which it last changed, and the mark `@` with the generation
-- ARGV[1]  report, read or merge
-- ARGV[2]  the generation that the asker knows, or nothing
-- ARGV[3]  the version up to which it knows all changes
-- ARGV[4]  lifetime of the keys in seconds
-- ARGV[5]  most clients of a user
--   report: ARGV[6] user id, [7] client, [8] status, [9] now, [10] stale after, both in milliseconds
--   merge:  ARGV[6] the generation that a filling begins where none is known, or nothing; [7] 1 in its first step; [8] 1 in its last;
--           then pairs of user id and JSON object
--
-- Nothing is answered for keys without a generation: they were lost, and have to be filled from Postgres first.
-- report and read return { 1, outcome, taken at, generation, version, complete, user id, JSON object, ... }: what changed since
-- ARGV[3], or everything where complete is 1. outcome: 0 the report was not taken, 1 taken, 2 taken and news to others; taken at is
-- the time in milliseconds that the report got.
-- merge takes of each client the newer state, and returns { 1 }; nothing where the keys lost what steps of the filling before brought,
-- which the field `@filling` with its generation tells.

local people, changes = KEYS[1], KEYS[2]
local operation, lifetime, most = ARGV[1], tonumber(ARGV[4]), tonumber(ARGV[5])
local listMax = 1000

local function currentGeneration()
  local found = redis.call('HGET', people, '@generation')
  if found and redis.call('ZSCORE', changes, '@' .. found) then return found end
  return nil
end

local function clientsOf(user)
  local text = redis.call('HGET', people, user)
  if text then return cjson.decode(text) end
  return {}
end

local function store(user, clients)
  local count = 0
  for _ in pairs(clients) do count = count + 1 end
  while count > most do
    local oldest = nil
    for client, state in pairs(clients) do
      if oldest == nil or state[2] < clients[oldest][2] then oldest = client end
    end
    clients[oldest] = nil
    count = count - 1
  end
  local version = redis.call('HINCRBY', people, '@version', 1)
  redis.call('HSET', people, user, cjson.encode(clients))
  redis.call('ZADD', changes, version, user)
  redis.call('EXPIRE', people, lifetime)
  redis.call('EXPIRE', changes, lifetime)
end

local function report(user, client, status, now, staleAfter)
  local clients = clientsOf(user)
  local before = clients[client]
  if before then
    now = math.max(now, before[2] + 1)
    local isStale = now - before[2] > staleAfter
    if not isStale and before[1] == 'active' and status == 'idle' then return 0, 0 end
    clients[client] = { status, now }
    store(user, clients)
    if status == 'active' and (isStale or before[1] == 'idle') then return 2, now end
    return 1, now
  end
  clients[client] = { status, now }
  store(user, clients)
  return 2, now
end

local function answer(generation, outcome, takenAt)
  local version = tonumber(redis.call('HGET', people, '@version')) or 0
  local known = tonumber(ARGV[3])
  local result = { 1, outcome, takenAt, generation, version, 0 }
  local users = nil
  if ARGV[2] == generation and known <= version then
    users = redis.call('ZRANGEBYSCORE', changes, '(' .. known, '+inf', 'LIMIT', 0, listMax + 1)
  end
  if users == nil or #users > listMax then
    result[6] = 1
    for _, item in ipairs(redis.call('HGETALL', people)) do result[#result + 1] = item end
    return result
  end
  if #users == 0 then return result end
  for index, text in ipairs(redis.call('HMGET', people, unpack(users))) do
    if text then
      result[#result + 1] = users[index]
      result[#result + 1] = text
    end
  end
  return result
end

if operation == 'merge' then
  local begins = ARGV[6]
  local mark = '@filling' .. begins
  if begins ~= '' then
    if ARGV[7] == '1' then
      redis.call('HSET', people, mark, 1)
      redis.call('EXPIRE', people, lifetime)
    elseif redis.call('HEXISTS', people, mark) == 0 then
      return {}
    end
  end
  for index = 9, #ARGV, 2 do
    local user = ARGV[index]
    local clients = clientsOf(user)
    local isNewer = false
    for client, state in pairs(cjson.decode(ARGV[index + 1])) do
      local known = clients[client]
      if not known or known[2] < state[2] then
        clients[client] = state
        isNewer = true
      end
    end
    if isNewer then store(user, clients) end
  end
  if ARGV[8] == '1' then redis.call('HDEL', people, mark) end
  if ARGV[8] == '1' and not currentGeneration() then
    redis.call('HSET', people, '@generation', begins)
    redis.call('ZADD', changes, 0, '@' .. begins)
    redis.call('EXPIRE', people, lifetime)
    redis.call('EXPIRE', changes, lifetime)
  end
  return { 1 }
end

local generation = currentGeneration()
if not generation then return {} end
if operation == 'read' then return answer(generation, 0, 0) end
return answer(generation, report(ARGV[6], ARGV[7], ARGV[8], tonumber(ARGV[9]), tonumber(ARGV[10])))
