-- What holds a run back: an owner's drain, and effects outside whose end nobody knows.

alter table run add column drained_since text;
alter table run add column drained_by text;
alter table run add column drain_reason text;

-- A receipt whose outcome is unknown stays so. That it is known by now is said beside it.
alter table receipt add column reconciled text;
alter table receipt add column reconciled_by text;
alter table receipt add column reconciled_reason text;
alter table receipt add column reconciled_at text;

create index receipt_unknown on receipt (run_id) where outcome = 'unknown' and reconciled is null;
