-- Events of the range from an address, in any case.
create or replace temp table subject_events as
select
-- part: subject_columns
    e.source
from events as e
where e.event_time >= $since::timestamp
  and e.event_time < $until::timestamp
  and lower(e.ip_address) = lower(trim($address));
