-- Events that fit a search, the newest first, from below a place where one is given, with the tables that the queries
-- of jobs read and wrote.
with
-- part: judged_events
,
found as (
    select
        source, event_time, outcome, event, person, user_id, address, kind, area, verb, path, operation, resource_name,
        resource_id, event_key
    from judged
    where
-- part: fits_all
      and (
          $below_time is null
          or event_time < cast($below_time as timestamp)
          or (event_time = cast($below_time as timestamp) and event_key < $below_key)
      )
    order by event_time desc, event_key desc
    limit $most
),
touched as (
    select source, job_id, access, coalesce(database_name || '.', '') || table_name as name
    from query_tables
    where job_id in (select resource_id from found where area = 'Jobs')
      and job_date <= cast(cast($until as timestamp) as date)
      and table_name is not null
),
tables as (
    select
        source, job_id,
        string_agg(distinct name, ', ' order by name) filter (where access = 'read') as tables_read,
        string_agg(distinct name, ', ' order by name) filter (where access = 'written') as tables_written
    from touched
    group by source, job_id
)
select
    f.source, f.event_time, f.outcome, f.event, f.person, f.user_id, f.address, f.kind, f.area, f.verb, f.path, f.operation,
    f.resource_name, f.resource_id, t.tables_read, t.tables_written, f.event_key
from found as f
left join tables as t on t.source = f.source and t.job_id = f.resource_id and f.area = 'Jobs'
order by f.event_time desc, f.event_key desc;
