"""What cases share: impacts of spheres, packings to start from, plates that slide."""
