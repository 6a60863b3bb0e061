-- What the build playbook came to know of: adjudication, reservations, questions to the owner.

alter table lane add column expected_footprint text;
alter table lane add column refusal_kind text;
alter table lane add column fixture text;
alter table lane add column adjudication_digest text;
alter table lane add column reserved text;
alter table lane add column reserved_at text;
alter table lane add column stop_asked text;
alter table lane add column stop_asked_at text;

-- A lane holds its paths until it is over: what it had reserved then is free.
create view reservation as
select run_id, lane, reserved as footprint, reserved_at
from lane
where reserved is not null and outcome is null;

create table question (
    run_id text not null,
    lane text not null,
    question text not null,
    attempt_id text not null,
    about text not null,
    options text not null,
    detail_digest text,
    asked_at text not null,
    answer text,
    answered_by text,
    words_digest text,
    answered_at text,
    primary key (run_id, lane, question)
) strict;

-- What a run does outside: a receipt says what it is for. Earlier ones are all deliveries.

alter table receipt add column kind text not null default 'delivery';
alter table receipt add column remote text;
alter table receipt add column issue text;
alter table receipt add column text_digest text;

-- What the build playbook of the second version keeps. Each block stands by itself.

-- --- the owner's standing words -----------------------------------------------------------------
-- They bind every later run, so they are of no run and have a chain of their own. `after_sequence`
-- is the newest event's when a word was said: by it, and by no clock, an outcome is older or newer.

create table word (
    sequence integer primary key,
    issue text not null,
    word text not null,
    reason text not null,
    actor text not null,
    utc text not null,
    after_sequence integer not null,
    previous_hash text not null,
    hash text not null
) strict;

create index word_of_issue on word (issue, word);

create trigger word_is_not_changed before update on word
begin
    select raise(abort, 'word is append-only: no word is ever changed');
end;

create trigger word_is_not_removed before delete on word
begin
    select raise(abort, 'word is append-only: no word is ever removed');
end;

create trigger word_is_not_replaced before insert on word
when new.sequence <= (select max(sequence) from word)
begin
    select raise(abort, 'word is append-only: no word is ever replaced');
end;
