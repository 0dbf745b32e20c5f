"""One file per fault, named after the fault; found by walking this folder."""
