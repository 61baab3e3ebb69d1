-- title: Permission changes by actor
-- question: Who changes permissions, and how many?
-- family: permission_changes
-- grain: one row per user
-- param: since timestamp = 7d
-- param: until timestamp = now
-- chart: bars x=actor y=granted unit=count link=events
with
changes as (
    select
        source, event_key, event_time, user_id, change, operation, resource_kind, actor,
        subject_kind || ' ' || subject_id as subject
    from permission_changes
    where event_time >= cast($since as timestamp)
      and event_time < cast($until as timestamp)
)
select
    actor,
    count(*) filter (where change = 'granted') as granted,
    count(*) filter (where change = 'revoked') as revoked,
    count(*) filter (
        where change = 'granted'
          and (
              resource_kind = 'Databases' and operation = 'manage'
              or resource_kind = 'Account' and operation in ('administrator', 'account_owner')
          )
    ) as full_access,
    count(distinct event_key) as edits,
    count(distinct event_key) filter (where change = 'unparsed') as unparsed,
    count(distinct subject) as subjects,
    min(event_time) as first_at,
    max(event_time) as last_at,
    max(user_id) as user_id,
    source
from changes
group by source, actor
order by granted desc, revoked desc, actor, source
