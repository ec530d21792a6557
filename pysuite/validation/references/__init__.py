"""Reference solutions, written from the papers with numpy and scipy only."""
