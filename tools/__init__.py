"""Checkers for handed data: recorded engine pages and cases from bug reports."""
