"""Our cures: one file per cure or small family. A new file here is found by itself."""
