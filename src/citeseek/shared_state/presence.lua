-- Says that the process ARGV[1] is there; returns how many were within the last ARGV[2] seconds.
local now = tonumber(redis.call("TIME")[1])
redis.call("ZADD", KEYS[1], now, ARGV[1])
redis.call("ZREMRANGEBYSCORE", KEYS[1], "-inf", now - ARGV[2])
redis.call("EXPIRE", KEYS[1], ARGV[2])
return redis.call("ZCARD", KEYS[1])
