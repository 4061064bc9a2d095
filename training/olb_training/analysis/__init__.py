"""What recorded games say: read as arrays, put into tables, every number with its interval."""
