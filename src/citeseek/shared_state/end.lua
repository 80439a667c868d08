-- Ends the work of the owner ARGV[1]: who waits gets ARGV[2], or works itself where that is empty.
if redis.call("GET", KEYS[1]) ~= ARGV[1] then
  return 0
end
redis.call("DEL", KEYS[1])
if ARGV[2] ~= "" then
  redis.call("XADD", KEYS[1] .. ":outcome", "*", "outcome", ARGV[2])
  redis.call("PEXPIRE", KEYS[1] .. ":outcome", ARGV[3])
end
return 1
