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
