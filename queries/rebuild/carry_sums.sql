-- What prunes took of sums is known to the attached database alone. Returns how many rows that are.
delete from pruned_sighting_rows;

delete from pruned_active_day_rows;

insert into pruned_sighting_rows by name
from old.pruned_sighting_rows;

insert into pruned_active_day_rows by name
from old.pruned_active_day_rows;

select (select count(*) from pruned_sighting_rows) + (select count(*) from pruned_active_day_rows) as carried;
