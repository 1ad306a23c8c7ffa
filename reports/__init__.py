"""Ways to tell: terminal, JSON, HTML; stories and pictures."""
