-- Keeps ARGV[1] the owner for ARGV[2] milliseconds more; returns whether it still is.
if redis.call("GET", KEYS[1]) ~= ARGV[1] then
  return 0
end
return redis.call("PEXPIRE", KEYS[1], ARGV[2])
