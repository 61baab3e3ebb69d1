-- title: API keys used from new addresses
-- question: Whose API key was created or read, and then used from a new address?
-- family: access
-- grain: one row per API key and address that its user first used within the hours after the key was created or read
-- param: since timestamp = 7d
-- param: until timestamp = now
-- param: hours integer = 24
-- param: days integer = 30
-- detection: high
-- attack: T1528
-- key: source, user_id
-- subject: user actor
-- at: first_use_at
-- reach: all
-- evidence: shown_events
-- condition: Within {hours} h after creating or reading an API key, a person uses an address that they had not used in the {days} days before.
-- message: {actor} used the new address {new_address} after {event_name}
-- next: auditlake investigate --address {new_address} --during {first_use_at:date}
-- runbook: Ask the person whether they use the key from this address. If not, delete the key and look at what was done from there.
-- The first use from the address lies in the range; the key may be older by those hours. A denied attempt is not a use.
with
keys as (
    select
        source, user_id, event_time, canonical_name, ip_address, actor, min(event_key) as key_event_key
    from events
    where event_time >= cast($since as timestamp) - cast($hours as integer) * interval '1' hour
      and event_time < cast($until as timestamp)
      and user_id is not null
      and outcome = 'succeeded'
      and canonical_name in ('user_apikey_generate', 'user_apikey_download')
    group by source, user_id, event_time, canonical_name, ip_address, actor
),
-- What their owners did around the range, and from where.
uses as (
    select e.source, e.user_id, e.event_key, e.event_time, e.ip_address, e.outcome
    from events as e
    inner join (select distinct source, user_id from keys) as o on o.source = e.source and o.user_id = e.user_id
    where e.event_time >= cast($since as timestamp)
          - cast($days as integer) * interval '1' day - cast($hours as integer) * interval '1' hour
      and e.event_time < cast($until as timestamp) + cast($hours as integer) * interval '1' hour
      and e.ip_address is not null
),
new_uses as (
    select
        keys.source, keys.user_id, keys.event_time as key_at, keys.actor, keys.canonical_name, keys.ip_address as key_address,
        keys.key_event_key,
        uses.ip_address as new_address, uses.event_key, uses.event_time,
        min(uses.event_time) over one_address as first_use_at,
        count(*) over one_address as events,
        row_number() over (
            partition by
                keys.source, keys.user_id, keys.event_time, keys.actor, keys.canonical_name, keys.ip_address,
                uses.ip_address
            order by uses.event_time, uses.event_key
        ) as place
    from keys
    inner join uses
        on uses.source = keys.source
        and uses.user_id = keys.user_id
        and uses.event_time > keys.event_time
        and uses.event_time <= keys.event_time + cast($hours as integer) * interval '1' hour
    where uses.ip_address <> 'internal'
      and uses.outcome not in ('denied', 'failed')
      and not exists (
          select 1
          from uses as known
          where known.source = keys.source
            and known.user_id = keys.user_id
            and known.ip_address = uses.ip_address
            and known.event_time <= keys.event_time
            and known.event_time >= keys.event_time - cast($days as integer) * interval '1' day
      )
    window one_address as (
        partition by
            keys.source, keys.user_id, keys.event_time, keys.actor, keys.canonical_name, keys.ip_address,
            uses.ip_address
    )
),
shown_events as (
    select event_key as hit_key, event_key from new_uses
    union all
    select event_key as hit_key, key_event_key as event_key from new_uses
)
select
    key_at,
    actor,
    canonical_name as event_name,
    key_address,
    new_address,
    first_use_at,
    events,
    user_id,
    event_key,
    source
from new_uses
where place = 1
  and first_use_at >= cast($since as timestamp)
  and first_use_at < cast($until as timestamp)
order by key_at, actor, event_name, key_address, new_address, user_id, event_key, source
