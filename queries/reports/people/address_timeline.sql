-- title: Timeline of an address
-- question: What was done from an address?
-- family: people
-- grain: one row per event from the address
-- param: since timestamp = 7d
-- param: until timestamp = now
-- param: address text required
-- param: days integer = 30
-- param: newest integer = null
-- param: before timestamp = null
-- A change of rights is one row per right; days is how far back first_seen looks, of anyone means new for all users.
-- Without newest, all entries of the range are shown; with it, about this many of the newest (whole seconds), older than
-- before if given. sessions and first_seen are those of the range.
with
found as (
    select e.source, e.event_time, e.event_key, nullif(e.actor, 'unknown') as person
    from events as e
    where e.event_time >= cast($since as timestamp)
      and e.event_time < cast($until as timestamp)
      and (cast($before as timestamp) is null or e.event_time < cast($before as timestamp))
      and lower(e.ip_address) = lower(trim(cast($address as varchar)))
),
-- part: shown
-- part: history
-- part: changes
-- part: entries
