-- What supervision keeps: what was found at a take-over, seen by the monitor, done, decided, refused.

create table recovery (
    run_id text not null,
    attempt_id text not null,
    controller_epoch integer not null,
    lane text not null,
    outcome text not null,
    recovered_at text not null,
    primary key (run_id, attempt_id, controller_epoch)
) strict;

create table observation (
    run_id text not null,
    lane text not null,
    version integer not null,
    attempt_id text not null,
    state text not null,
    last_checkpoint text,
    lease_epoch integer not null,
    deadline text,
    classification text not null,
    beat_sequence integer not null,
    output_bytes integer not null,
    silent_s real not null,
    active_s real not null,
    progress text not null,
    action text not null,
    claim_key text,
    working text not null,
    not_working text not null,
    changed text not null,
    next text not null,
    observed_at text not null,
    primary key (run_id, lane, version)
) strict;

-- A key is claimed once, whoever asks: the second row is refused, and with it its whole batch.
create table intervention (
    run_id text not null,
    claim_key text not null,
    lane text not null,
    attempt_id text not null,
    turn integer not null,
    action text not null,
    lapse text not null,
    claimed_at text not null,
    primary key (run_id, claim_key)
) strict;

create table decision (
    run_id text not null,
    version integer not null,
    condition text not null,
    severity text not null,
    authority text not null,
    lane text not null,
    attempt_id text,
    evidence text not null,
    owner text not null,
    recovery text not null,
    decided_at text not null,
    primary key (run_id, version)
) strict;

create table stale_write (
    run_id text not null,
    lane text not null,
    version integer not null,
    attempt_id text not null,
    turn integer not null,
    what text not null,
    epoch integer not null,
    granted integer not null,
    refused_at text not null,
    primary key (run_id, lane, version)
) strict;

create table quarantine (
    run_id text not null,
    lane text not null,
    version integer not null,
    attempt_id text not null,
    turn integer not null,
    path text not null,
    digest text not null,
    quarantined_at text not null,
    primary key (run_id, lane, version)
) strict;

create table clock (
    run_id text not null,
    version integer not null,
    trust text not null,
    suspended_s real not null,
    stepped_s real not null,
    monotonic_s real not null,
    boottime_s real not null,
    boot_id text not null,
    observed integer,
    inconclusive integer,
    next_s real,
    read_at text not null,
    primary key (run_id, version)
) strict;
