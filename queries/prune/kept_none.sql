-- Nothing of a time stays.
create or replace temp table kept_events as
select e.event_key
from event_rows as e
where false;
