-- title: Probing of hidden columns
-- question: Who was denied several hidden columns within a day?
-- family: denials
-- grain: one row per denial that brings a user to the number of hidden columns within the hours before it
-- param: since timestamp = 7d
-- param: until timestamp = now
-- param: columns integer = 3
-- param: hours integer = 24
-- detection: medium
-- attack: T1213
-- key: source, user_id, account
-- subject: user actor
-- at: last_at
-- reach: 1d
-- measure: columns >= $columns
-- window: first_at
-- condition: A person is denied on {columns} hidden columns within {hours} h.
-- message: {actor} was denied {columns} hidden columns within a day
-- next: auditlake report run column_visibility_denials --since {first_at:date}
-- runbook: Ask the person what they were looking for. A person new to the data meets hidden columns, but seldom several a day.
with
uses as (
    select
        source, user_id, case when user_id is null then actor_email end as account, cast(null as varchar) as subject,
        coalesce(resource_type, '') || ' ' || resource_id as thing,
        event_key, event_time, actor, resource_type, resource_id as last_column, ip_address,
        event_time + cast($hours as integer) * interval '1' hour as counts_until,
        min(event_time) over (
            partition by source, user_id, case when user_id is null then actor_email end
            order by event_time
            range between cast($hours as integer) * interval '1' hour preceding and current row
        ) as first_at
    from denials
    where event_time >= cast($since as timestamp) - cast($hours as integer) * interval '1' hour
      and event_time < cast($until as timestamp)
      and denial_kind = 'column_visibility_denial'
      and resource_id <> ''
      and (user_id is not null or actor_email is not null)
),
-- part: different_within
reached as (
    select source, event_key, different
    from differences
    where different >= cast($columns as integer)
)
select
    u.event_time as last_at,
    u.actor,
    cast(r.different as bigint) as columns,
    u.first_at,
    u.last_column,
    u.resource_type,
    u.ip_address,
    u.user_id,
    u.account,
    u.event_key,
    u.source
from reached as r
inner join uses as u on u.source = r.source and u.event_key = r.event_key
where u.event_time >= cast($since as timestamp)
order by last_at, actor, columns, first_at, last_column, resource_type, ip_address, user_id, account, event_key, source
