"""Reference solutions, implemented from the papers with numpy and scipy."""
