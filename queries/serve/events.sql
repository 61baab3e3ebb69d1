-- Events that fit what is asked for, the newest first, from below a place where one is given. With them stand the
-- tables that the queries of jobs touched. A table is found with the jobs that touched it, too.
with
-- A job began before what is told of it, however long before: its result may be fetched weeks later.
touching as (
    select source, job_id
    from query_tables
    where job_date <= cast($until::timestamp as date)
      and $object is not null
      -- Few tables end the name that is asked for; only their names are put together.
      and ends_with(lower($object), table_name)
      and (
          table_name = lower($object)
          or coalesce(database_name || '.', '') || table_name = lower($object)
      )
),
found as (
    select
        source, event_time, event_name, area, outcome, actor_email, user_id, ip_address, resource_name, resource_id,
        operation, event_key
    from events
    where event_time >= $since::timestamp
      and event_time < $until::timestamp
      and ($person is null or actor_email = lower($person) or cast(user_id as varchar) = $person)
      and ($address is null or ip_address = $address)
      and ($event is null or event_name = $event or canonical_name = $event)
      and (
          $object is null
          or resource_id = $object
          or resource_name = $object
          or target_table = $object
          or area = 'Jobs' and (source, resource_id) in (select (source, job_id) from touching)
      )
      and ($outcome is null or outcome = $outcome)
      and (
          $text is null
          or contains(lower(concat_ws(
              chr(10), event_name, path, resource_name, resource_path, target_table, target_resource_name,
              target_connection, affected_user, attribute_name, query_text, old_value, new_value, old_values,
              new_values, event_detail
          )), lower($text))
      )
      and (
          $below_time is null
          or event_time < $below_time::timestamp
          or (event_time = $below_time::timestamp and event_key < $below_key)
      )
    order by event_time desc, event_key desc
    limit $most
),
touched as (
    select source, job_id, access, coalesce(database_name || '.', '') || table_name as name
    from query_tables
    where job_id in (select resource_id from found where area = 'Jobs')
      and job_date <= cast($until::timestamp as date)
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
    f.event_time, f.event_name, f.area, f.outcome, f.actor_email, f.user_id, f.ip_address, f.resource_name,
    f.resource_id, f.operation, t.tables_read, t.tables_written, f.event_key
from found as f
left join tables as t on t.source = f.source and t.job_id = f.resource_id and f.area = 'Jobs'
order by f.event_time desc, f.event_key desc;
