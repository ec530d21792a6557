"""What the pair styles cost, beside others and the machine's limits; surveys of conversion."""
