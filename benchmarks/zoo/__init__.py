"""The zoo: training runs whose sickness, or health, is known because it was built in."""
