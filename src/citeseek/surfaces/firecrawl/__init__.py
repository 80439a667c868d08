"""The search and the reading of pages as Firecrawl would answer them."""
