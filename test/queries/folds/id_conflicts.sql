create or replace temp view folded_id_conflicts as
select source, id, count(*) as versions, min(event_time) as first_event_time
from event_rows
where id is not null
group by source, id
having count(*) > 1;
