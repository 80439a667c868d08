"""What several processes share while they run: a Valkey or Redis server, and what holds without."""
