-- title: First downloads of the audit log
-- question: Who downloaded the audit log for the first time?
-- family: access
-- grain: one row per download of the audit log by a user without an earlier one
-- param: since timestamp = 7d
-- param: until timestamp = now
-- param: learning_hours integer = 720
-- detection: medium
-- attack: T1654
-- key: source, user_id, account
-- subject: user actor
-- at: event_time
-- reach: all
-- condition: A person downloads the audit log for the first time, once the source has {learning_hours:hours} of history.
-- message: {actor} downloaded the audit log for the first time
-- next: auditlake investigate --user {actor} --during {event_time:date}
-- runbook: Check whether the person has a reason to read the log. Attackers often check what is recorded.
with
-- part: owners
-- part: email_owners
-- part: first_events
downloads as (
    select
        e.source, coalesce(e.user_id, o.user_id) as user_id, e.event_key, e.event_time, e.actor, e.ip_address,
        case when coalesce(e.user_id, o.user_id) is null then coalesce(e.actor_email, 'unknown') end as account,
        coalesce('user ' || cast(coalesce(e.user_id, o.user_id) as varchar), e.actor_email, 'unknown') as person
    from events as e
    left join email_owners as o on o.source = e.source and o.email = case when e.user_id is null then e.actor_email end
    where e.event_time < cast($until as timestamp)
      and e.canonical_name = 'audit_log_download'
      and e.outcome = 'succeeded'
),
firsts as (
    select source, person, min(event_time) as first_at
    from downloads
    group by source, person
)
select
    d.event_time,
    d.actor,
    d.ip_address,
    d.user_id,
    d.account,
    d.event_key,
    d.source
from downloads as d
inner join firsts as f on f.source = d.source and f.person = d.person and f.first_at = d.event_time
inner join first_events as l on l.source = d.source
where d.event_time >= cast($since as timestamp)
  and d.event_time >= l.first_at + cast($learning_hours as integer) * interval '1' hour
order by event_time, actor, ip_address, user_id, account, event_key, source
