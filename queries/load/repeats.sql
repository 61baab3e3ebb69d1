-- Whether a read has a key more than once: as a rule it has not.
select count(*) as keys
from (
    select event_key
    from event_rows
    where read_id = $read_id
    group by event_key
    having count(*) > 1
    limit 1
) as twice;
