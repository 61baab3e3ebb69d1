-- Events of the reference that no record stands for, by area.
select distinct c.area, c.event_name
from catalog_events as c
where not exists (
    select 1 from events as e
    where e.canonical_name = c.event_name and e.area = c.area and ($source is null or e.source = $source)
)
order by c.area, c.event_name;
