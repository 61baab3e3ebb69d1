-- One event by its key.
select * from event($event_key);
