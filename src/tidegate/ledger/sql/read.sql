-- What reading commands and a restarting controller ask. No statement here shows a lease's token,
-- save `lease`, which only the writing side may run.

-- name: lease
select epoch, owner, token, expiry_utc from lease where run_id = ? and attempt_id = ?;

-- name: lease_shown
select epoch, owner, case when token is not null then '[held]' end, expiry_utc
from lease where run_id = ? and attempt_id = ?;

-- name: head
select sequence, hash from event where run_id = ? order by sequence desc limit 1;

-- name: events
select
    sequence, run_id, lane, version, attempt, epoch, kind, body, actor, previous_state,
    next_state, reason, utc, previous_hash, hash
from event
where run_id = ? and sequence > ?
order by sequence
limit ?;

-- name: events_of_lane
-- The plus keeps SQLite from going through all of the run's events in order of sequence.
select
    sequence, run_id, lane, version, attempt, epoch, kind, body, actor, previous_state,
    next_state, reason, utc, previous_hash, hash
from event
where run_id = ? and +sequence > ? and lane = ?
order by version
limit ?;

-- name: runs
select * from run order by rowid;

-- name: outcomes
select issue, run_id, outcome from lane where outcome is not null order by ended_sequence;

-- name: standing_outcomes
-- Those that are newer than the owner's last `open`.
select issue, run_id, outcome from lane
where
    outcome is not null
    and ended_sequence > coalesce(
        (
            select max(after_sequence)
            from word
            where word.issue = lane.issue and word.word = 'open'
        ),
        0
    )
order by ended_sequence;

-- name: unknown_receipts
-- Of all runs: what ended outside as nobody knows how, and was not reconciled since.
select * from receipt
where outcome = 'unknown' and reconciled is null and settled_at is not null
order by rowid;

-- name: words
select sequence, issue, word, reason, actor, utc, after_sequence, previous_hash, hash
from word
order by sequence;

-- name: lanes_by_outcome
select outcome, count(*) from lane
where run_id = ? and outcome is not null
group by outcome
order by outcome;

-- name: attempts_by_state
select state, count(*) from attempt_fold where run_id = ? group by state order by state;

-- name: line
-- A lane's row for each of its attempts; the reader keeps one of them. Completed by one of the two
-- conditions that follow.
select
    lane.*,
    (
        select count(*)
        from finding
        join attempt_fold as judged
            on judged.run_id = finding.run_id and judged.attempt_id = finding.attempt_id
        where
            finding.run_id = lane.run_id
            and finding.lane = lane.lane
            and finding.counts = 1
            and judged.role = 'build'
    ) as fails,
    exists (
        select 1
        from question
        where
            question.run_id = lane.run_id
            and question.lane = lane.lane
            and coalesce(question.answer, 'defer') = 'defer'
    ) as is_waiting_for_owner,
    attempt_fold.attempt_id,
    attempt_fold.actor_id,
    attempt_fold.role,
    attempt_fold.state,
    attempt_fold.reason as attempt_reason,
    attempt_fold.authorization_status,
    attempt_fold.last_event_at,
    lease.epoch as lease_epoch,
    lease.expiry_utc as lease_expiry_utc
from lane
left join attempt_fold
    on attempt_fold.run_id = lane.run_id and attempt_fold.lane = lane.lane
left join lease
    on lease.run_id = attempt_fold.run_id and lease.attempt_id = attempt_fold.attempt_id;

-- name: line_if_open
where lane.run_id = ? and lane.outcome is null
order by lane.rowid, attempt_fold.rowid;

-- name: line_of_lane
where lane.run_id = ? and lane.lane = ?
order by attempt_fold.rowid;

-- name: rows_attempt
select
    attempt.*,
    attempt_fold.lane,
    attempt_fold.requested_at,
    attempt_fold.last_event_at
from attempt_fold
join attempt on attempt.run_id = attempt_fold.run_id
    and attempt.attempt_id = attempt_fold.attempt_id
where attempt_fold.run_id = :run and (:lane is null or attempt_fold.lane = :lane)
order by attempt_fold.rowid;

-- name: rows_lane
select * from lane where run_id = :run and (:lane is null or lane = :lane) order by rowid;

-- name: rows_turn
select * from turn where run_id = :run and (:lane is null or lane = :lane) order by rowid;

-- name: rows_workspace
select * from workspace where run_id = :run and (:lane is null or lane = :lane) order by rowid;

-- name: rows_heartbeat
select * from heartbeat where run_id = :run and (:lane is null or lane = :lane) order by rowid;

-- name: rows_receipt
select * from receipt where run_id = :run and (:lane is null or lane = :lane) order by rowid;

-- name: rows_finding
-- A judge that fails a change has found something; its own record of that is no finding against it.
select finding.*
from finding
join attempt_fold as judged
    on judged.run_id = finding.run_id and judged.attempt_id = finding.attempt_id
where
    finding.run_id = :run
    and (:lane is null or finding.lane = :lane)
    and judged.role = 'build'
order by finding.rowid;

-- name: rows_ruling
select * from ruling where run_id = :run and (:lane is null or lane = :lane) order by rowid;

-- name: rows_question
select * from question where run_id = :run and (:lane is null or lane = :lane) order by rowid;

-- name: rows_recovery
select * from recovery where run_id = :run and (:lane is null or lane = :lane) order by rowid;

-- name: rows_observation
select * from observation where run_id = :run and (:lane is null or lane = :lane) order by rowid;

-- name: rows_intervention
select * from intervention where run_id = :run and (:lane is null or lane = :lane) order by rowid;

-- name: rows_decision
select * from decision where run_id = :run and (:lane is null or lane = :lane) order by rowid;

-- name: rows_stale_write
select * from stale_write where run_id = :run and (:lane is null or lane = :lane) order by rowid;

-- name: rows_quarantine
select * from quarantine where run_id = :run and (:lane is null or lane = :lane) order by rowid;

-- name: rows_clock
select * from clock where run_id = :run and :lane is null order by rowid;
