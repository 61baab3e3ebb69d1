-- What a prune took of the sums that are folded from nothing.
insert into sighting_rows by name
from pruned_sighting_rows;

insert into active_day_rows by name
from pruned_active_day_rows
order by event_date, source, user_id;
