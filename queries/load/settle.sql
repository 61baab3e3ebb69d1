-- Takes out again what a read brought that the store holds already. Keys that occur more than once in
-- the read first: with an id they are one event, without an id each is an event of its own and gets an
-- ordinal, because two equal events in one second are two events.
create or replace temp table repeated as
with
counted as (
    select event_key
    from event_rows
    where read_id = $read_id
    group by event_key
    having count(*) > 1
)
select
    r.rowid as row_id,
    r.event_key,
    r.page,
    r.id is not null as has_id,
    row_number() over (partition by r.event_key order by r.page, r.rowid) as ordinal
from event_rows as r
inner join counted as c on c.event_key = r.event_key
where r.read_id = $read_id;

delete from event_rows
where read_id = $read_id
  and rowid in (select row_id from repeated where has_id and ordinal > 1);

update event_rows
set event_key = cast(md5(cast(event_rows.event_key as varchar) || '#' || repeated.ordinal) as uuid)
from repeated
where event_rows.rowid = repeated.row_id and not repeated.has_id and repeated.ordinal > 1;
