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
-- condition: A holder of full access succeeds from an address that they had not used before, once the source has {learning_hours:hours} of history.
-- message: {actor}, who has full access, acted from the new address {ip_address}
-- next: auditlake investigate --address {ip_address} --during {event_time:date}
-- runbook: Ask the person whether the address is theirs. If not, revoke their sessions and keys and look at what was done from it.
-- Only what succeeded makes an address a known one: failed attempts from it must not hide what follows them.
with
-- part: owners
-- part: email_owners
-- part: first_events
acts as (
    select
        e.source, coalesce(e.user_id, o.user_id) as user_id, e.event_key, e.event_time, e.actor, e.ip_address,
        e.canonical_name, e.resource_name
    from events as e
    left join email_owners as o on o.source = e.source and o.email = case when e.user_id is null then e.actor_email end
    where e.event_time >= cast($since as timestamp)
      and e.event_time < cast($until as timestamp)
      and e.outcome = 'succeeded'
      and e.ip_address <> ''
      and e.ip_address <> 'internal'
      and coalesce(e.user_id, o.user_id) is not null
),
firsts as (
    select source, user_id, ip_address, min(event_time) as first_at
    from acts
    group by source, user_id, ip_address
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
    where f.first_at >= l.first_at + cast($learning_hours as integer) * interval '1' hour
      and exists (
          select 1
          from holders as h
          where h.source = f.source
            and h.user_id = f.user_id
            and (h.valid_from is null or h.valid_from <= f.first_at)
            and (h.valid_to is null or h.valid_to > f.first_at)
      )
),
-- An address without earlier use needs no look at the events before it, and most are known from the last
-- days: the whole log is read for the rest alone.
asked as (
    select c.source, c.user_id, c.ip_address
    from candidates as c
    inner join sightings as s
        on s.source = c.source and s.subject_kind = 'address' and s.subject = c.ip_address
    where s.first_seen_at < cast($since as timestamp)
),
known_lately as (
    select distinct a.source, a.user_id, a.ip_address
    from asked as a
    inner join events as e on e.source = a.source and e.user_id = a.user_id and e.ip_address = a.ip_address
    where e.event_time >= cast($since as timestamp) - interval '7' day
      and e.event_time < cast($since as timestamp)
      and e.outcome = 'succeeded'
),
asked_further as (
    select source, user_id, ip_address
    from asked
    except
    select source, user_id, ip_address
    from known_lately
),
known as (
    select source, user_id, ip_address
    from known_lately
    union
    select a.source, a.user_id, a.ip_address
    from asked_further as a
    inner join events as e on e.source = a.source and e.user_id = a.user_id and e.ip_address = a.ip_address
    where e.event_time < cast($since as timestamp)
      and e.outcome = 'succeeded'
    union
    select a.source, a.user_id, a.ip_address
    from asked_further as a
    inner join email_owners as o on o.source = a.source and o.user_id = a.user_id
    inner join events as e on e.source = a.source and e.actor_email = o.email and e.ip_address = a.ip_address
    where e.event_time < cast($since as timestamp)
      and e.user_id is null
      and e.outcome = 'succeeded'
)
select
    a.event_time,
    a.actor,
    a.ip_address,
    a.canonical_name as event_name,
    a.resource_name,
    a.user_id,
    a.event_key,
    a.source
from candidates as c
inner join acts as a
    on a.source = c.source and a.user_id = c.user_id and a.ip_address = c.ip_address and a.event_time = c.first_at
left join known as k on k.source = c.source and k.user_id = c.user_id and k.ip_address = c.ip_address
where k.user_id is null
order by event_time, actor, ip_address, event_name, resource_name, user_id, event_key, source
