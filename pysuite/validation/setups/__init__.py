"""Set-ups shared by cases: impacts of spheres, initial packings, sliding plates and others."""
