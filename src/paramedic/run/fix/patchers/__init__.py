"""How each remedy is written into a program."""
