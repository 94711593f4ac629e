"""Playing tables: in this process, or spread over worker processes."""
