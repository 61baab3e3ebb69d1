-- Events of one source as readers see them: equal ones with their number.
select epoch_ms(event_time) as time_ms, resource_id as mark, count(*) as held
from events
where source = '{source}'
group by event_time, resource_id
order by event_time, resource_id;
