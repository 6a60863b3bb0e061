"""Git, as the control plane uses it: a hub, workspaces cloned from it, harvests, merges, landings.

Nothing is imported here: jobs start this package as a bare interpreter and pay for every import.
For the same reason its records are named tuples: dataclasses would cost as much time as all the
rest of a job's imports.
The modules, in the order in which a change passes them: `repository` (the user's), `hub`,
`workspace`, `harvest`, `scope`, `merge`, `landing`, `delivery`; `jobs` runs them as a program.
Only `command` starts git.
"""
