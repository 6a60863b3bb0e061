"""Faults in real processes: kills at every durable call, failing disks, power cuts."""
