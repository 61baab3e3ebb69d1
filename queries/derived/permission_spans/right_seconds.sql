-- What the changes of a second state about each permission that they name: how many found it and how many left it.
-- is_again marks series where one of them may have given what was held already: to attach a member again, or to promote
-- an administrator, is recorded as if it were the first time.
create or replace temp table right_seconds as
with
rights as (
    select
        series_key, event_time, permission,
        count(*) filter (where is_held_before) as found,
        count(*) filter (where is_held_after) as left_held,
        min(cause) filter (where is_held_after and not is_held_before) as granting,
        min(cause) filter (where is_held_before and not is_held_after) as revoking
    from series_marks
    where permission is not null
    group by series_key, event_time, permission
)
select
    r.series_key, r.event_time, r.permission, r.found, r.left_held, r.granting, r.revoking,
    s.origin,
    coalesce(c.changes, 1) as changes,
    s.origin in ('member', 'flag') as is_again,
    c.is_before_read and r.found = r.left_held as is_balanced,
    c.is_before_read and abs(r.left_held - r.found) = 1 as is_counted,
    case when s.origin in ('set', 'share') then list_contains(c.chain_first_set, r.permission) end as chain_first,
    case when s.origin in ('set', 'share') then list_contains(c.chain_last_set, r.permission) end as chain_last,
    list_contains(c.order_first_set, r.permission) as order_first,
    list_contains(c.order_last_set, r.permission) as order_last,
    m.ending is not null as is_ending, m.next_time, m.position, m.created_at
from rights as r
inner join touched_series as s on s.series_key = r.series_key
inner join series_moments as m on m.series_key = r.series_key and m.event_time = r.event_time
left join crowded_seconds as c on c.series_key = r.series_key and c.event_time = r.event_time;
