"""The search as a SearXNG would answer it: programs that speak to one can speak to Citeseek."""
