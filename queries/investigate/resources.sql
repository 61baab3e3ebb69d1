-- What the events of the range name as a resource: ids, names, paths, databases.
with
named as (
    select resource_id, resource_name, resource_path, target_table, target_resource_id, target_resource_name, database_name
    from timeline
    where event_time >= make_timestamp(cast($since_ms as bigint) * 1000)
      and event_time < make_timestamp(cast($until_ms as bigint) * 1000)
)
select distinct lower(name) as name
from (
    select resource_id as name from named
    union select resource_name from named
    union select resource_path from named
    union select target_table from named
    union select target_resource_id from named
    union select target_resource_name from named
    union select database_name from named
) as names
where name <> ''
order by name;
