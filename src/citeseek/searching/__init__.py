"""One search: planned, asked, judged, merged."""
