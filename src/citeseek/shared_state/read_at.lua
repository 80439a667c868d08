-- Returns what is kept, and the seconds and microseconds of the server's clock.
local time = redis.call("TIME")
return {redis.call("GET", KEYS[1]), time[1], time[2]}
