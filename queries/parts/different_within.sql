-- How many different things of `uses` are in reach of each: a use counts from its time up to `counts_until`. Uses of one
-- thing that reach each other add one where they start and take it back after the last of them ends.
ends_of_uses as (
    select
        source, user_id, account, subject, thing, event_key, event_time, counts_until,
        lag(counts_until) over thing_in_time as reached_until,
        lead(event_time) over thing_in_time as next_time
    from uses
    window thing_in_time as (
        partition by source, user_id, account, subject, thing order by event_time, event_key
    )
),
steps as (
    select
        source, user_id, account, subject, event_key, event_time as step_at, 0 as place,
        case when reached_until >= event_time then 0 else 1 end as step
    from ends_of_uses
    union all
    select
        source, user_id, account, subject, cast(null as varchar) as event_key, counts_until as step_at, 1 as place,
        -1 as step
    from ends_of_uses
    where coalesce(next_time > counts_until, true)
),
differences as (
    select
        source, event_key,
        sum(step) over (
            partition by source, user_id, account, subject order by step_at, place
            range between unbounded preceding and current row
        ) as different
    from steps
),
