-- title: Invitations outside the company
-- question: Who invited an e-mail address of an external domain?
-- family: access
-- grain: one row per invitation of an e-mail outside the internal domains
-- param: since timestamp = 7d
-- param: until timestamp = now
-- param: internal_domains text = null
-- detection: medium
-- attack: T1136.003
-- key: source, user_id, account, invited
-- subject: user actor
-- at: event_time
-- reach: all
-- condition: A person invites an e-mail outside the internal domains.
-- message: {actor} invited {invited}, an address of an external domain
-- next: auditlake investigate --user {actor} --during {event_time:date}
-- runbook: Check who asked for the account, what it is for and when it ends.
-- Without internal_domains, the domains of previously listed users are internal. Without any, no address is external.
with
invitations as (
    select
        source, event_key, event_time, user_id, actor, ip_address, resource_id as invited_id,
        lower(resource_name) as invited,
        lower(substring(trim(resource_name) from position('@' in trim(resource_name)) + 1)) as domain,
        case when user_id is null then coalesce(actor_email, nullif(ip_address, 'internal'), 'unknown') end as account
    from events
    where event_time >= cast($since as timestamp)
      and event_time < cast($until as timestamp)
      and canonical_name = 'user_invite'
      and outcome = 'succeeded'
      and resource_name like '%_@_%'
),
-- Whom the first reading of the directory lists was there before.
listed as (
    select
        source, cast(user_id as varchar) as user_id, lower(email) as email,
        lower(substring(trim(email) from position('@' in trim(email)) + 1)) as domain,
        -- As text to the second, as the service writes it.
        case
            when created_at like '____-__-__T%' then replace(substring(created_at from 1 for 19), 'T', ' ')
            when valid_from > min(valid_from) over (partition by source)
            then substring(cast(valid_from as varchar) from 1 for 19)
        end as listed_from
    from users
    where email like '%_@_%'
),
known as (
    select
        i.source, i.event_key,
        max(case when l.domain = i.domain then 1 else 0 end) as is_internal
    from invitations as i
    inner join listed as l on l.source = i.source
    where coalesce(l.listed_from < substring(cast(i.event_time as varchar) from 1 for 19), true)
      and l.email <> i.invited
      and coalesce(l.user_id <> i.invited_id, true)
    group by i.source, i.event_key
)
select
    i.event_time,
    i.actor,
    i.invited,
    i.domain,
    i.ip_address,
    i.user_id,
    i.account,
    i.event_key,
    i.source
from invitations as i
left join known as k on k.source = i.source and k.event_key = i.event_key
where case
    when cast($internal_domains as varchar) is null then k.is_internal = 0
    else position(
        ',' || i.domain || ',' in ',' || replace(lower(cast($internal_domains as varchar)), ' ', '') || ','
    ) = 0
end
order by event_time, actor, invited, domain, ip_address, user_id, account, event_key, source
