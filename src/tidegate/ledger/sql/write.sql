-- What the writing side asks and stores beside the projection (whose statements are in writes.py).

-- name: run_end
-- Ordered and limited: a max() in a subquery like these reads all of its rows.
select
    controller_epoch,
    (select sequence from event order by sequence desc limit 1),
    (select hash from event where event.run_id = run.run_id order by sequence desc limit 1),
    (
        select version
        from event
        where event.run_id = run.run_id and lane = ?
        order by version desc
        limit 1
    )
from run
where run_id = ?;

-- name: newest_sequence
select max(sequence) from event;

-- name: raise_controller_epoch
update run
set controller_epoch = controller_epoch + 1, controller = ?, controller_since = ?
where run_id = ?;

-- name: versions
-- The program writes more places into the list.
with wanted (lane) as (values (?))
select
    wanted.lane,
    coalesce(
        (
            select version
            from event
            where event.run_id = ? and event.lane = wanted.lane
            order by version desc
            limit 1
        ),
        0
    )
from wanted;

-- name: append
insert into event (
    sequence, run_id, lane, version, attempt, epoch, kind, body, actor, previous_state,
    next_state, reason, utc, previous_hash, hash
) values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?);

-- name: standings
-- The program writes more places into the list.
with wanted (attempt_id) as (values (?))
select
    attempt_fold.attempt_id,
    attempt_fold.state,
    coalesce(lease.epoch, 0),
    coalesce(lease.owner, ''),
    lease.token,
    coalesce(lease.expiry_utc, '')
from wanted
cross join attempt_fold on attempt_fold.attempt_id = wanted.attempt_id
left join lease
    on lease.run_id = attempt_fold.run_id and lease.attempt_id = attempt_fold.attempt_id
where attempt_fold.run_id = ?;

-- name: words_end
select
    coalesce((select sequence from word order by sequence desc limit 1), 0),
    (select hash from word order by sequence desc limit 1),
    coalesce((select sequence from event order by sequence desc limit 1), 0);

-- name: append_word
insert into word (
    sequence, issue, word, reason, actor, utc, after_sequence, previous_hash, hash
) values (?, ?, ?, ?, ?, ?, ?, ?, ?);

-- name: put_lease
insert into lease (run_id, attempt_id, epoch, owner, token, expiry_utc)
values (?, ?, ?, ?, ?, ?)
on conflict (run_id, attempt_id) do update set
    epoch = excluded.epoch,
    owner = excluded.owner,
    token = excluded.token,
    expiry_utc = excluded.expiry_utc;

-- name: put_beat
insert into heartbeat (
    run_id, attempt_id, epoch, beat_sequence, lane, beat_monotonic_s, last_completed_unit, state,
    controller_version, utc
)
select run_id, attempt_id, ?, ?, lane, ?, ?, state, ?, ?
from attempt_fold
where run_id = ? and attempt_id = ?
on conflict do nothing;
