-- Rows without an id, ids that come more than once, and two of the latter to look for.
with
doubled as (
    select delta_id
    from state.incoming
    where delta_id is not null
    group by delta_id
    having count(*) > 1
),
first_two as (
    select delta_id
    from doubled
    order by delta_id
    limit 2
)
select
    (select count(*) from state.incoming) as rows_read,
    (select count(*) from state.incoming where delta_id is null) as without_id,
    (select count(*) from doubled) as doubled,
    (select list(delta_id order by delta_id) from first_two) as samples;
