"""Steps that builders share: one file each, found by importing them."""
