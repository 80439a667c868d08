-- Appends to the stream of the answer ARGV[1], which the process ARGV[2] makes and which ends with
-- the entry ARGV[4] as far as that knows, and keeps it the maker for ARGV[3] milliseconds more, but
-- for the last time, which ARGV[7] says. The stream is kept for ARGV[5] seconds and ARGV[6] entries.
-- Then come ids, * for a new one, and values of entries by turns.
-- Returns whether somebody wants the answer stopped and the new ids, or why nothing was appended:
-- "lost" to another maker, or "moved", where the stream ends with another entry.
local stream = KEYS[1] .. ":events:" .. ARGV[1]
local held = redis.call("HMGET", KEYS[1], "id", "owner", "stop")
if held[1] and (held[1] ~= ARGV[1] or held[2] ~= ARGV[2]) then
  return {"lost"}
end
local newest = redis.call("XREVRANGE", stream, "+", "-", "COUNT", 1)[1]
local last = newest and newest[1] or ""
if last ~= ARGV[4] then
  return {"moved"}
end
local ids = {}
for at = 8, #ARGV, 2 do
  ids[#ids + 1] = redis.call("XADD", stream, "MAXLEN", "~", ARGV[6], ARGV[at], "event", ARGV[at + 1])
end
redis.call("EXPIRE", stream, ARGV[5])
if ARGV[7] == "1" then
  redis.call("DEL", KEYS[1])
else
  if not held[1] then
    redis.call("HSET", KEYS[1], "id", ARGV[1], "owner", ARGV[2])
  end
  redis.call("PEXPIRE", KEYS[1], ARGV[3])
end
return {held[3] and "stop" or "go", ids}
