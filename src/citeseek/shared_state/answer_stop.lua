-- Asks the maker of the answer ARGV[1] to stop it; returns whether it is under way.
if redis.call("HGET", KEYS[1], "id") ~= ARGV[1] then
  return 0
end
return redis.call("HSET", KEYS[1], "stop", "1") + 1
