"""Ways to find out: invariants, proof, refutation, exploration, graph."""
