-- Takes one of ARGV[1] turns a minute, as many at once where none was taken; returns 0, or the
-- milliseconds until there is one.
local most = tonumber(ARGV[1])
local time = redis.call("TIME")
local now = time[1] + time[2] / 1000000
local kept = redis.call("HMGET", KEYS[1], "left", "at")
local left = tonumber(kept[1]) or most
left = math.min(most, left + (now - (tonumber(kept[2]) or now)) * most / 60)
local wait = 0
if left < 1 then
  wait = math.ceil((1 - left) * 60000 / most)
else
  left = left - 1
end
redis.call("HSET", KEYS[1], "left", tostring(left), "at", string.format("%.6f", now))
redis.call("EXPIRE", KEYS[1], 120)
return wait
