-- The events of a time that stay where a lake keeps the rest, since what is folded from them goes on. They are those of
-- rights, of ids that several events have, and of jobs that have later events or may have. A job without an end is
-- waited for 30 days.
create or replace temp table kept_events as
with
going_on as (
    select source, job_id
    from job_rows
    where list_min(event_dates) <= cast($before::timestamp as date)
      and (
          list_max(event_dates) >= cast($before::timestamp as date)
          or finished_at is null and list_max(event_dates) >= cast($before::timestamp as date) - 30
      )
)
select a.event_key
from access_event_rows as a
union
select e.event_key
from event_rows as e
semi join id_conflict_rows as i on i.source = e.source and i.id = e.id
where e.event_time < $before::timestamp
union
select e.event_key
from event_rows as e
inner join catalog_entries as c on c.entry_id = e.entry_id
semi join going_on as g on g.source = e.source and g.job_id = job_id_of(e.resource_id, e.resource_name)
where e.event_time < $before::timestamp
  and is_job_event(c.event_name);
