-- What was folded is no longer due; what was kept aside is.
delete from fold_due;

insert into fold_due (read_id, first_event_time, last_event_time, events)
select read_id, first_event_time, last_event_time, events
from postponed_due;
