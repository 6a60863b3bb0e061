-- What a run does outside: a receipt says what it is for. Earlier ones are all deliveries.

alter table receipt add column kind text not null default 'delivery';
alter table receipt add column remote text;
alter table receipt add column issue text;
alter table receipt add column text_digest text;
