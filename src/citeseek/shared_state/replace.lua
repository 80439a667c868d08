-- Keeps ARGV[2] for ARGV[3] seconds where ARGV[1] is still what is kept; returns whether it is.
if (redis.call("GET", KEYS[1]) or "") ~= ARGV[1] then
  return 0
end
redis.call("SET", KEYS[1], ARGV[2], "EX", ARGV[3])
return 1
