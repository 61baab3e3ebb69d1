-- What stays of the attached database's events and quarantine. With a lake, which keeps the rest, also the events that
-- rights are folded from: few, and whoever folds anew needs them from the beginning.
insert into event_rows by name
select e.*
from old.event_rows as e
where not (e.event_time < $before::timestamp and ($source is null or e.source = $source))
   or ($keeps_rights and e.event_key in (select a.event_key from old.access_event_rows as a));

insert into quarantine by name
select q.*
from old.quarantine as q
where q.quarantine_key not in (select o.quarantine_key from old_quarantine as o);
