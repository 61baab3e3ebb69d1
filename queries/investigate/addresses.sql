-- Every address that the log names.
select distinct lower(subject) as name
from sightings
where subject_kind = 'address'
order by name;
