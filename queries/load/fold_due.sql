-- name: postpone
-- Leaves due the reads that begin first and together bring about so many events, one at least. The others are kept aside.
create or replace temp table postponed_due as
with
counted as (
    select
        read_id, first_event_time, last_event_time, events,
        sum(events) over (order by first_event_time, read_id) - events as events_before
    from fold_due
)
select read_id, first_event_time, last_event_time, events
from counted
where events_before > 0 and events_before + events > $most_events::bigint;

delete from fold_due
where read_id in (select p.read_id from postponed_due as p);

-- name: resume
-- Processed reads are no longer pending; postponed ones are.
delete from fold_due;

insert into fold_due (read_id, first_event_time, last_event_time, events)
select read_id, first_event_time, last_event_time, events
from postponed_due;
