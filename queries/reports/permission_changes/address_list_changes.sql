-- title: Address list changes followed by new addresses
-- question: Who changed the address list and then signed in from a new address?
-- family: permission_changes
-- grain: one row per change and new address from which its user signed in, if any
-- param: since timestamp = 7d
-- param: until timestamp = now
-- param: hours integer = 24
-- param: days integer = 30
-- detection: high
-- attack: T1562.007
-- key: source, user_id, account
-- subject: user actor
-- at: changed_at
-- condition: A person adds an address to the list of allowed addresses, or removes one from it.
-- message: {actor} changed the list of allowed addresses: {change}
-- next: auditlake investigate --user {actor} --during {changed_at:date}
-- runbook: Ask whose address was added or removed, and look at the sign-ins from it.
with
changes as (
    select
        event_key, source, event_time, variant, user_id, ip_address, affected_user_id,
        coalesce(old_value, old_values) as old_value,
        coalesce(new_value, new_values) as new_value,
        nullif(actor, 'unknown') as actor,
        case when user_id is null then coalesce(actor_email, nullif(ip_address, 'internal'), 'unknown') end as account
    from events
    where canonical_name = 'ip_whitelist_modify'
      and outcome = 'succeeded'
      and event_time >= cast($since as timestamp)
      and event_time < cast($until as timestamp)
),
-- What their actors did around the range, and from where.
uses as (
    select
        e.source, e.event_time, e.ip_address,
        nullif(e.actor, 'unknown') as actor,
        case
            when e.canonical_name in ('sign_in', 'sign_in_reporting', 'paas_sign_in') and e.outcome = 'succeeded'
            then 1
            else 0
        end as is_sign_in
    from events as e
    inner join (select distinct source, actor from changes) as c on c.source = e.source and c.actor = e.actor
    where e.event_time >= cast($since as timestamp) - cast($days as integer) * interval '1' day
      and e.event_time < cast($until as timestamp) + cast($hours as integer) * interval '1' hour
      and e.ip_address is not null
),
sign_ins as (
    select
        changes.source, changes.event_key, uses.ip_address as new_address,
        count(*) as sign_ins,
        min(uses.event_time) as first_sign_in_at
    from changes
    inner join uses
        on uses.source = changes.source
        and uses.actor = changes.actor
        and uses.event_time >= changes.event_time
        and uses.event_time < changes.event_time + cast($hours as integer) * interval '1' hour
    where uses.is_sign_in = 1
    group by changes.source, changes.event_key, uses.ip_address
),
known_addresses as (
    select distinct changes.source, changes.event_key, uses.ip_address
    from changes
    inner join uses
        on uses.source = changes.source
        and uses.actor = changes.actor
        and uses.event_time < changes.event_time
        and uses.event_time >= changes.event_time - cast($days as integer) * interval '1' day
),
new_sign_ins as (
    select
        sign_ins.source, sign_ins.event_key, sign_ins.new_address, sign_ins.sign_ins,
        sign_ins.first_sign_in_at
    from sign_ins
    where not exists (
        select 1 from known_addresses
        where known_addresses.source = sign_ins.source
          and known_addresses.event_key = sign_ins.event_key
          and known_addresses.ip_address = sign_ins.new_address
    )
)
select
    changes.event_time as changed_at,
    coalesce(changes.actor, 'unknown') as actor,
    coalesce(changes.variant, 'change') as change,
    new_sign_ins.new_address,
    new_sign_ins.first_sign_in_at,
    coalesce(new_sign_ins.sign_ins, 0) as sign_ins,
    changes.ip_address as changed_from,
    changes.affected_user_id,
    changes.old_value,
    changes.new_value,
    changes.user_id,
    changes.account,
    changes.event_key,
    changes.source
from changes
left join new_sign_ins
    on new_sign_ins.source = changes.source
    and new_sign_ins.event_key = changes.event_key
order by
    changed_at, actor, change, new_address, first_sign_in_at, sign_ins, changed_from, affected_user_id,
    old_value, new_value, user_id, account, event_key, source
