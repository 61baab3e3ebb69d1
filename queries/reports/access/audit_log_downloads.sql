-- title: Audit log downloads
-- question: Who downloads the audit log?
-- family: access
-- grain: one row per user and address that requested the log
-- param: since timestamp = 7d
-- param: until timestamp = now
-- chart: bars x=actor y=downloads stack=ip_address unit=count link=events
-- scope: range
with
found as (
    select
        source, user_id, event_time, canonical_name, outcome,
        coalesce(ip_address, 'not recorded') as ip_address,
        actor
    from events
    where event_time >= cast($since as timestamp)
      and event_time < cast($until as timestamp)
      and canonical_name = 'audit_log_download'
)
select
    actor,
    ip_address,
    canonical_name as event_name,
    count(*) filter (where outcome = 'succeeded') as downloads,
    count(*) filter (where outcome in ('denied', 'failed')) as refused,
    min(event_time) as first_at,
    max(event_time) as last_at,
    max(user_id) as user_id,
    source
from found
group by source, actor, ip_address, canonical_name
order by downloads desc, refused desc, actor, ip_address, event_name, source
