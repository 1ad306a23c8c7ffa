"""What should be true of any code: small functions with an id, a plain sentence, a formal statement."""
