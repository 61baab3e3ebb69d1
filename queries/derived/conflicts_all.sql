-- The same where all events are due and none is known: what stands for several events, in a share of all ids.
insert into id_conflict_rows by name
select source, id, count(*) as versions, min(event_time) as first_event_time
from event_rows
where id is not null
  and event_time between $first_time::timestamp and $last_time::timestamp
  and hash(id) % $shares::ubigint = $share::ubigint
group by source, id
having count(*) > 1
order by source, id;
