-- title: New hosts of workflow calls
-- question: Which hosts did workflows call for the first time?
-- family: egress
-- grain: one row per first call of a host that no workflow of its source had called before
-- param: since timestamp = 7d
-- param: until timestamp = now
-- param: learning_hours integer = 720
-- detection: medium
-- attack: T1567
-- key: source, host
-- subject: host host
-- at: event_time
-- reach: all
-- condition: A workflow calls a host that no workflow had called before, once the source has {learning_hours:hours} of history.
-- message: The workflow {workflow} called {host}, which no workflow had called before
-- next: auditlake report run workflow_http_calls --since {event_time:date}
-- runbook: Check whom the host belongs to, and who changed the workflow last.
-- The host is the part after the scheme, in an object or in plain text, without user name and port.
with
-- part: first_events
calls as (
    select
        source, event_key, event_time, actor, user_id, resource_name, event_detail, revision_created_user,
        replace(lower(event_detail), '\/', '/') as detail
    from events
    where event_time < cast($until as timestamp)
      and canonical_name = 'workflow_http_call'
      and outcome = 'succeeded'
      and event_detail like '%:%'
),
cut as (
    select
        source, event_key, event_time, actor, user_id, resource_name, event_detail, revision_created_user,
        split_part(replace(replace(replace(replace(replace(replace(replace(
            substring(detail from position('://' in detail) + 3),
            '?', '/'), '#', '/'), '"', '/'), ' ', '/'), '''', '/'), '\', '/'), ',', '/'), '/', 1) as authority
    from calls
    where position('://' in detail) > 0
),
named as (
    select
        source, event_key, event_time, actor, user_id, resource_name, event_detail, revision_created_user,
        substring(authority from position('@' in authority) + 1) as name_and_port
    from cut
),
hosts as (
    select
        source, event_key, event_time, actor, user_id, resource_name, event_detail, revision_created_user,
        case
            when name_and_port like '[%' then split_part(name_and_port, ']', 1) || ']'
            else split_part(name_and_port, ':', 1)
        end as host
    from named
),
firsts as (
    select source, host, min(event_time) as first_at from hosts where host <> '' group by source, host
    having min(event_time) >= cast($since as timestamp)
)
select
    h.event_time,
    h.host,
    coalesce(h.resource_name, 'not recorded') as workflow,
    h.event_detail as call,
    h.revision_created_user as revision_by,
    h.actor,
    h.user_id,
    h.event_key,
    h.source
from hosts as h
inner join firsts as f on f.source = h.source and f.host = h.host and f.first_at = h.event_time
inner join first_events as s on s.source = h.source
where h.event_time >= s.first_at + cast($learning_hours as integer) * interval '1' hour
order by event_time, host, workflow, call, revision_by, actor, user_id, event_key, source
