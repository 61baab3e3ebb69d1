-- What the store holds, in one line: the same rows in any order give the same digest.
with
event_keys as (
    select md5_number(source || ':' || cast(event_key as varchar)) as key_number from event_rows
),
quarantined as (
    select md5_number(quarantine_key) as key_number from quarantine
),
folded as (
    select 'events' as kind, count(*) as held, coalesce(bit_xor(key_number), 0) as mixed from event_keys
    union all
    select 'quarantine' as kind, count(*) as held, coalesce(bit_xor(key_number), 0) as mixed from quarantined
)
select md5(string_agg(kind || ':' || held || ':' || mixed, ',' order by kind)) as digest from folded;
