"""What the pair styles cost: measured side by side, and shown against the machine's limits."""
