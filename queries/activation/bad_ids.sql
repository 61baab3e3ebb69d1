-- Rows without an id, ids that come more than once, and two of each to look for.
with
doubled as (
    select delta_id
    from state.incoming
    where delta_id is not null
    group by delta_id
    having count(*) > 1
),
-- Rows that are not committed yet are not counted from 0.
null_rows as (
    select rowid - (select min(rowid) from state.incoming) + 1 as row_number
    from state.incoming
    where delta_id is null
    order by row_number
    limit 2
),
first_two as (
    select delta_id
    from doubled
    order by delta_id
    limit 2
)
select
    (select count(*) from state.incoming where delta_id is null) as without_id,
    (select count(*) from doubled) as doubled,
    (select list(cast(row_number as varchar) order by row_number) from null_rows) as null_samples,
    (select list(delta_id order by delta_id) from first_two) as samples;
