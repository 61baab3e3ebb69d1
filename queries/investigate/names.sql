-- name: users
-- Everybody by what they go by; who goes by nothing but an e-mail of the log has no id.
select source, cast(user_id as varchar) as user_id, kind, name
from user_names
order by source, kind, name, user_id;

-- name: addresses
-- Every address that the log names.
select distinct lower(subject) as name
from sightings
where subject_kind = 'address'
order by name;

-- name: resource
-- Whether something of the range has exactly this name, in lower case, as a resource: an id, a name, a path or a database.
select $resource as name
where exists (
    select 1
    from event_rows
    where event_time >= make_timestamp(cast($since_ms as bigint) * 1000)
      and event_time < make_timestamp(cast($until_ms as bigint) * 1000)
      and (
          lower(resource_id) = $resource
          or lower(resource_name) = $resource
          or lower(resource_path) = $resource
          or lower(target_table) = $resource
          or lower(target_resource_id) = $resource
          or lower(target_resource_name) = $resource
      )
)
or exists (
    select 1
    from query_jobs
    where activity_time >= make_timestamp(cast($since_ms as bigint) * 1000)
      and activity_time < make_timestamp(cast($until_ms as bigint) * 1000)
      and database_name = $resource
);

-- name: resources
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

-- name: jobs
-- The jobs of the range by their ids.
select distinct job_id as name
from query_jobs
where activity_time >= make_timestamp(cast($since_ms as bigint) * 1000)
  and activity_time < make_timestamp(cast($until_ms as bigint) * 1000)
order by name;

-- name: job
-- When the job of this id or name first stands in the log.
select epoch_ms(min(activity_time)) as first_ms
from query_jobs
where job_id = $job or job_name = $job;

-- name: job_events
-- First event about a job of this id or name that was never issued: a refusal, an export of its result, the job of an export.
select epoch_ms(min(event_time)) as first_ms
from events
where area = 'Jobs'
  and (outcome in ('denied', 'failed') or exported_job_id is not null)
  and (
      coalesce(resource_id, split_part(resource_name, '.', -1)) = $job
      or resource_name = $job
      or exported_job_id = split_part($job, '.', -1)
  );

-- name: tables
-- What the query texts of the range call tables: by the name alone, and with the database.
with
touched as (
    select distinct database_name, table_name
    from query_tables
    where job_date >= cast(make_timestamp(cast($since_ms as bigint) * 1000) as date)
      and job_date <= cast(make_timestamp(cast($until_ms as bigint) * 1000) as date)
)
select distinct name
from (
    select table_name as name from touched
    union
    select database_name || '.' || table_name as name from touched
) as names
where name <> ''
order by name;
