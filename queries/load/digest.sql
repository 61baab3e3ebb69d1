-- What the store holds, in one line: the same rows in any order give the same digest.
with
event_keys as (
    select md5_number(source || ':' || cast(event_key as varchar)) as key_number from event_rows
),
quarantined as (
    select md5_number(quarantine_key) as key_number from quarantine
),
permissions as (
    select
        md5_number(cast((
            source, policy_id, resource_kind, operation, object_id, object_name, details,
            valid_from, valid_to, last_seen_at
        ) as varchar)) as key_number
    from policy_permission_rows
),
folded as (
    select 'events' as kind, count(*) as held, coalesce(bit_xor(key_number), 0) as mixed from event_keys
    union all
    select 'quarantine' as kind, count(*) as held, coalesce(bit_xor(key_number), 0) as mixed from quarantined
    union all
    select 'permissions' as kind, count(*) as held, coalesce(bit_xor(key_number), 0) as mixed from permissions
)
select md5(string_agg(kind || ':' || held || ':' || mixed, ',' order by kind)) as digest from folded;
