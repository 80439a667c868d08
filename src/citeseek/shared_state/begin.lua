-- Makes ARGV[1] the owner of the work for ARGV[2] milliseconds, where it has none; what came of it
-- before is forgotten. Returns whether it is the owner.
if not redis.call("SET", KEYS[1], ARGV[1], "NX", "PX", ARGV[2]) then
  return 0
end
redis.call("DEL", KEYS[1] .. ":outcome")
return 1
