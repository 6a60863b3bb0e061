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
