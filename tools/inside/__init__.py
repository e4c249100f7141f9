"""What runs inside a tool's environment: the standard library only, and no Isogloss."""
