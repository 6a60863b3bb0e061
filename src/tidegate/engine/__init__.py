"""The tick: look at the world, record what it means, plan, bring about. It knows ports only."""
