-- State of each permission after a second that names it, and before the first one: 0 not held, 1 held, 2 open. It is
-- certain if all or no changes of the second leave the permission. Otherwise it is held if changes leave it more often
-- than they find it, and not held in the opposite case. If both are equal, a chain of sets with two ends decides;
-- without a chain it stays as before. Without an earlier state, record positions decide.
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
            -- The sets before the changes are better evidence than the earlier state, since a change can be missing in
            -- the log.
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
