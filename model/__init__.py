"""What trick play is and what the laws say: cards, table, acts, law files, the transition system, the referee."""
