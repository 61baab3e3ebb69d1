-- title: Full access from new addresses
-- question: Which users with full access acted from a new address?
-- family: people
-- grain: one row per successful event of a user with full access from an address that is new for them
-- param: since timestamp = 7d
-- param: until timestamp = now
-- param: learning_hours integer = 720
-- detection: high
-- attack: T1078.004
-- key: source, user_id
-- subject: user actor
-- at: event_time
-- reach: all
-- condition: A user with full access acts successfully from an address that they had not used before, once the source has {learning_hours:hours} of history.
-- message: {actor}, who has full access, acted from the new address {ip_address}
-- next: auditlake investigate --address {ip_address} --during {event_time:date}
-- runbook: Ask the person whether the address is theirs. If not, revoke their sessions and keys and look at what was done from it.
-- Only successful events make an address known: failed attempts must not hide later events from it.
with
-- part: owners
-- part: email_owners
-- part: first_events
-- When users first succeeded from an address.
firsts as (
    select a.source, coalesce(a.user_id, o.user_id) as user_id, a.ip_address, min(a.first_seen_at) as first_at
    from user_addresses as a
    left join email_owners as o on o.source = a.source and o.email = a.user_email
    group by a.source, coalesce(a.user_id, o.user_id), a.ip_address
),
holders as (
    select source, user_id, valid_from, valid_to
    from user_access
    where reach = 'every database'
      and operation in ('manage', 'administrator', 'account_owner')
      and (valid_from is null or valid_from < cast($until as timestamp))
      and (valid_to is null or valid_to > cast($since as timestamp))
),
candidates as (
    select f.source, f.user_id, f.ip_address, f.first_at
    from firsts as f
    inner join first_events as l on l.source = f.source
    where f.first_at >= cast($since as timestamp)
      and f.first_at < cast($until as timestamp)
      and f.first_at >= l.first_at + cast($learning_hours as integer) * interval '1' hour
      and exists (
          select 1
          from holders as h
          where h.source = f.source
            and h.user_id = f.user_id
            and (h.valid_from is null or h.valid_from <= f.first_at)
            and (h.valid_to is null or h.valid_to > f.first_at)
      )
)
select
    e.event_time,
    e.actor,
    e.ip_address,
    e.canonical_name as event_name,
    e.resource_name,
    c.user_id,
    e.event_key,
    e.source
from candidates as c
inner join events as e on e.source = c.source and e.ip_address = c.ip_address and e.event_time = c.first_at
left join email_owners as o on o.source = e.source and o.email = case when e.user_id is null then e.actor_email end
where e.event_time >= cast($since as timestamp)
  and e.event_time < cast($until as timestamp)
  and e.outcome = 'succeeded'
  and coalesce(e.user_id, o.user_id) = c.user_id
order by event_time, actor, ip_address, event_name, resource_name, user_id, event_key, source
