"""The search and the reading of pages as Tavily would answer them."""
