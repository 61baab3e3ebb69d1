-- Keys that occur more than once in a read: with an id they are one event, without an id each is an event of its
-- own and gets an ordinal, because two equal events in one second are two events.
delete from event_rows
where read_id = $read_id
  and rowid in (select row_id from repeated where has_id and ordinal > 1);

update event_rows
set event_key = cast(md5(cast(event_rows.event_key as varchar) || '#' || repeated.ordinal) as uuid)
from repeated
where event_rows.rowid = repeated.row_id and not repeated.has_id and repeated.ordinal > 1;
