-- What stays of the attached database's events and quarantine.
insert into event_rows by name
select e.*
from old.event_rows as e
where not (e.event_time < $before::timestamp and ($source is null or e.source = $source))
   or e.event_key in (select k.event_key from kept_events as k);

insert into quarantine by name
select q.*
from old.quarantine as q
where q.quarantine_key not in (select o.quarantine_key from old_quarantine as o);
