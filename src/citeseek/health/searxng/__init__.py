"""What is wrong with a SearXNG, and what mends it."""
