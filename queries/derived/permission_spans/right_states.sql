-- Whether each permission is held after a second that names it, and before the first one: 0 is not held, 1 is held, 2 is
-- open. What all changes of a second leave, or none, is certain. Otherwise one that is left more often than found is
-- held, one found more often is not. Where both are equal, the sets decide if they make a chain with two ends; without a
-- chain it is as before. With nothing known before, the places of the records decide.
create or replace temp table right_states as
with
-- A null waits for what was before.
judged as (
    select
        series_key, event_time, permission, granting, next_time, is_again, order_last,
        left_held > 0 and left_held < changes and left_held >= found as is_mixed,
        case
            when is_ending or left_held = 0 then 0
            when left_held = changes then 1
            when is_again and left_held <> found then cast(left_held > found as integer)
            when is_counted then cast(left_held > found as integer)
            -- What the sets found says more than what was known: the log may lack a change between.
            when is_balanced and chain_last is not null then cast(chain_last as integer)
            when not is_balanced then coalesce(cast(order_last as integer), 2)
            when position > 1 and coalesce(
                lag(position) over right_in_time < position - 1, lag(position) over right_in_time is null
            ) then 0
            when position = 1 and origin = 'member' and created_at is not null then 0
        end as by_itself,
        coalesce(cast(chain_last as integer), cast(order_last as integer)) as by_order,
        case
            when position > 1 or created_at = event_time or found = 0 then 0
            when found = changes then 1
            when is_again and origin = 'member' and is_balanced and created_at is not null then 0
            when is_again and left_held < found then 1
            when is_again and left_held > found then coalesce(cast(order_first as integer), 0)
            when is_counted then cast(found > left_held as integer)
            else coalesce(case when is_balanced then cast(chain_first as integer) end, cast(order_first as integer), 2)
        end as at_first,
        created_at
    from right_seconds
    window right_in_time as (partition by series_key, permission order by event_time)
),
followed as (
    select
        series_key, event_time, permission, granting, next_time, is_again, is_mixed, order_last, at_first, created_at,
        case
            when by_itself is not null then by_itself
            when coalesce(last_value(by_itself ignore nulls) over before_it, 2) = 2 then by_order
        end as decided
    from judged
    window before_it as (
        partition by series_key, permission order by event_time
        rows between unbounded preceding and 1 preceding
    )
)
select
    series_key, event_time, permission, granting, next_time, at_first, created_at,
    coalesce(last_value(decided ignore nulls) over until_it, 2) as held,
    -- Where users were attached and detached in one second and counts say held, only a last place that says so makes it
    -- certain.
    is_again and is_mixed and not coalesce(order_last, false) as is_doubtful
from followed
window until_it as (
    partition by series_key, permission order by event_time
    rows between unbounded preceding and current row
);
