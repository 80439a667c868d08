"""The surfaces: where people and programs meet Citeseek."""
