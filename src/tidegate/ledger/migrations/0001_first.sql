-- The first schema. Times are labels that the caller gives; no row is written by SQL's own clock.

create table event (
    sequence integer primary key,
    run_id text not null,
    lane text not null,
    version integer not null,
    attempt text,
    epoch integer not null,
    kind text not null,
    body text not null,
    actor text not null,
    previous_state text,
    next_state text,
    reason text not null,
    utc text not null,
    previous_hash text not null,
    hash text not null,
    unique (run_id, lane, version)
) strict;

create index event_of_run on event (run_id);

create trigger event_is_not_changed before update on event
begin
    select raise(abort, 'event is append-only: no event is ever changed');
end;

create trigger event_is_not_removed before delete on event
begin
    select raise(abort, 'event is append-only: no event is ever removed');
end;

-- "insert or replace" removes a row without firing the trigger above.
create trigger event_is_not_replaced before insert on event
when new.sequence <= (select max(sequence) from event)
begin
    select raise(abort, 'event is append-only: no event is ever replaced');
end;

create table run (
    run_id text primary key,
    playbook text not null,
    target text not null,
    ref text not null,
    base text not null,
    base_tree text not null,
    delivered_from text,
    config_digest text not null,
    gate_digest text not null,
    policy text not null,
    started_at text not null,
    controller_epoch integer not null,
    controller text,
    controller_version text,
    controller_since text,
    base_verdict text,
    base_log_digest text,
    ended_at text,
    landed integer,
    stopped integer,
    waiting integer,
    reason text
) strict;

create table lane (
    run_id text not null,
    lane text not null,
    issue text not null,
    title text not null,
    issue_digest text not null,
    text_digest text not null,
    footprint text not null,
    priority integer not null,
    opened_at text not null,
    landed_ref text,
    landed_commit text,
    landed_tree text,
    landed_sequence integer,
    outcome text,
    reason text,
    ended_at text,
    ended_sequence integer,
    primary key (run_id, lane)
) strict;

create index lane_open on lane (run_id) where outcome is null;

create table attempt_fold (
    run_id text not null,
    attempt_id text not null,
    lane text not null,
    parent_id text not null,
    actor_id text not null,
    role text not null,
    artifact_path text,
    state text not null,
    artifact_status text not null,
    independence_status text not null,
    content_verdict text not null,
    evidence_verdict text not null,
    readiness_verdict text not null,
    authorization_status text not null,
    started_at text,
    checkpoint_deadline text,
    attempt_deadline text,
    last_checkpoint_at text,
    source_digest text,
    artifact_digest text,
    reason text not null,
    supersedes_attempt_id text,
    requested_at text not null,
    last_event_at text not null,
    primary key (run_id, attempt_id)
) strict;

create index attempt_of_lane on attempt_fold (run_id, lane);

create table lease (
    run_id text not null,
    attempt_id text not null,
    epoch integer not null,
    owner text not null,
    token text,
    expiry_utc text not null,
    primary key (run_id, attempt_id)
) strict;

-- The columns of seed 002 under its names. A token is a secret: whoever reads this sees that there
-- is one, and not which.
create view attempt as
select
    attempt_fold.run_id,
    attempt_fold.attempt_id,
    parent_id,
    actor_id,
    role,
    artifact_path,
    state,
    artifact_status,
    independence_status,
    content_verdict,
    evidence_verdict,
    readiness_verdict,
    authorization_status,
    lease.owner as owner,
    case when lease.token is not null then '[held]' end as lease_token,
    coalesce(lease.epoch, 0) as lease_epoch,
    lease.expiry_utc as lease_expiry_utc,
    started_at,
    checkpoint_deadline,
    attempt_deadline,
    last_checkpoint_at,
    source_digest,
    artifact_digest,
    reason,
    supersedes_attempt_id
from attempt_fold
left join lease
    on lease.run_id = attempt_fold.run_id and lease.attempt_id = attempt_fold.attempt_id;

create table turn (
    run_id text not null,
    attempt_id text not null,
    turn integer not null,
    lane text not null,
    epoch integer not null,
    deadline_s real not null,
    deadline_utc text not null,
    checkpoint_deadline_utc text not null,
    finding_digest text,
    base text,
    opened_at text not null,
    started_at text,
    agent_pid integer,
    ended_at text,
    how text,
    code integer,
    signal integer,
    active_s real,
    output_bytes integer,
    report_digest text,
    failure_digest text,
    is_external integer,
    harvested_at text,
    tip text,
    tree text,
    is_empty integer,
    pins integer,
    primary key (run_id, attempt_id, turn)
) strict;

create table workspace (
    run_id text not null,
    attempt_id text not null,
    lane text not null,
    path text not null,
    base text not null,
    dispatched_at text not null,
    environment_digest text,
    ready_at text,
    removed_at text,
    primary key (run_id, attempt_id)
) strict;

create index workspace_standing on workspace (run_id) where removed_at is null;

create table heartbeat (
    run_id text not null,
    attempt_id text not null,
    epoch integer not null,
    beat_sequence integer not null,
    lane text not null,
    beat_monotonic_s real not null,
    last_completed_unit text not null,
    state text not null,
    controller_version text not null,
    utc text not null,
    primary key (run_id, attempt_id, epoch, beat_sequence)
) strict;

create trigger heartbeat_is_not_changed before update on heartbeat
begin
    select raise(abort, 'heartbeat is append-only: no beat is ever changed');
end;

create trigger heartbeat_is_not_removed before delete on heartbeat
begin
    select raise(abort, 'heartbeat is append-only: no beat is ever removed');
end;

create table receipt (
    run_id text not null,
    receipt text not null,
    lane text not null,
    ref text not null,
    old text,
    new text not null,
    intended_at text not null,
    outcome text not null,
    detail text not null,
    settled_at text,
    primary key (run_id, receipt)
) strict;

create table finding (
    run_id text not null,
    lane text not null,
    version integer not null,
    attempt_id text not null,
    source text not null,
    found_by text not null,
    tree text,
    counts integer not null,
    digest text,
    reason text not null,
    found_at text not null,
    primary key (run_id, lane, version)
) strict;

create table ruling (
    run_id text not null,
    lane text not null,
    version integer not null,
    attempt_id text not null,
    ruling text not null,
    ruled_by text not null,
    tree text not null,
    ruled_at text not null,
    primary key (run_id, lane, version)
) strict;
