"""What cases share: impacts of spheres, initial packings, sliding plates."""
