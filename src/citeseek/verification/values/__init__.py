"""Values as people write them: numbers, quantities with their units, dates, times of day."""
