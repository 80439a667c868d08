-- Lets the process ARGV[2] make the answer ARGV[1] for ARGV[3] milliseconds, unless another answer
-- is under way in the conversation, whose id it returns; else an empty text.
local id = redis.call("HGET", KEYS[1], "id")
if id then
  return id
end
redis.call("HSET", KEYS[1], "id", ARGV[1], "owner", ARGV[2])
redis.call("PEXPIRE", KEYS[1], ARGV[3])
return ""
