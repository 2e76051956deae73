"""trimtab's `compact` in the public conformance suite for compaction, and a variant of it."""
