-- title: New table exports
-- question: Which whole tables did users export for the first time?
-- family: egress
-- grain: one row per export of a table that is the first one of its user or of its table
-- param: since timestamp = 7d
-- param: until timestamp = now
-- param: learning_hours integer = 720
-- detection: medium
-- attack: T1567
-- key: source, user_id, account
-- subject: user actor
-- at: event_time
-- reach: all
-- condition: A person exports a whole table for the first time, or a table is exported for the first time, once the source has {learning_hours:hours} of history.
-- message: {actor} exported the whole table {exported_table} ({first_of})
-- next: auditlake report run table_exports --since {event_time:date}
-- runbook: Ask the person what the export is for, and check where its result went.
-- first_of names what is new: the person, the table or both.
with
-- part: first_events
requests as (
    select
        source, user_id, event_key, event_time, actor, ip_address, resource_id,
        case when user_id is null then coalesce(actor_email, nullif(ip_address, 'internal'), 'unknown') end as account,
        coalesce(cast(user_id as varchar), actor_email, nullif(ip_address, 'internal'), 'unknown') as person,
        lower(split_part(substring(path from position('export/run/' in path) + 11), '?', 1)) as named
    from events
    where event_time < cast($until as timestamp)
      and operation = 'POST /v3/export/run/:database_name/:table_name'
      and outcome = 'succeeded'
),
exports as (
    select
        source, user_id, event_key, event_time, actor, ip_address, resource_id, account, person,
        split_part(named, '/', 1) || '.'
            || split_part(split_part(substring(named from position('/' in named) + 1), '/', 1), '.', 1) as exported_table
    from requests
),
firsts as (
    select
        source, user_id, event_key, event_time, actor, ip_address, resource_id, account, exported_table,
        min(event_time) over (partition by source, person) as person_first_at,
        min(event_time) over (partition by source, exported_table) as table_first_at
    from exports
)
select
    f.event_time,
    f.actor,
    f.exported_table,
    case
        when f.event_time > f.table_first_at then 'person'
        when f.event_time > f.person_first_at then 'table'
        else 'person and table'
    end as first_of,
    f.resource_id as job_id,
    f.ip_address,
    f.user_id,
    f.account,
    f.event_key,
    f.source
from firsts as f
inner join first_events as s on s.source = f.source
where f.event_time >= cast($since as timestamp)
  and (f.event_time = f.person_first_at or f.event_time = f.table_first_at)
  and f.event_time >= s.first_at + cast($learning_hours as integer) * interval '1' hour
order by event_time, actor, exported_table, first_of, job_id, ip_address, user_id, account, event_key, source
