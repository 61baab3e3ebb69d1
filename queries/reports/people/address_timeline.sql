-- title: Timeline of an address
-- question: What was done from an address?
-- family: people
-- grain: one row per event from the address
-- param: since timestamp = 7d
-- param: until timestamp = now
-- param: address text required
-- param: days integer = 30
-- A change of rights is a row for each right; days says how far back first_seen looks, of anyone means ever.
with
found as (
    select
-- part: entry_columns
        nullif(e.actor, 'unknown') as person
    from events as e
    where e.event_time >= cast($since as timestamp)
      and e.event_time < cast($until as timestamp)
      and lower(e.ip_address) = lower(trim(cast($address as varchar)))
),
-- part: history
-- part: changes
-- part: entries
