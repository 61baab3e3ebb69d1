-- name: columns
select
    column_name,
    data_type
from duckdb_columns()
where database_name = 'state' and table_name = $table_name and column_name not in ('delta_id', 'delta_hash')
order by column_index;

-- name: bad_ids
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

-- name: counts
select
    count(*) filter (where delta_status = 'new') as rows_new,
    count(*) filter (where delta_status = 'updated') as rows_updated,
    count(*) filter (where delta_status = 'deleted') as rows_deleted,
    count(*) filter (where delta_status = 'unchanged') as rows_unchanged,
    count(*) filter (where delta_status = 'new' and not is_aside) as out_new,
    count(*) filter (where delta_status = 'updated' and not is_aside) as out_updated,
    count(*) filter (where delta_status = 'deleted' and not is_aside) as out_deleted,
    count(*) filter (where delta_status = 'unchanged' and not is_aside) as out_unchanged,
    count(*) filter (where is_aside) as aside,
    count(*) filter (where delta_status <> 'deleted') as rows_read
from state.begun_rows;

-- name: class_rows
-- Outgoing rows of a class, by number. `class_columns` and `class_table` are placeholders for the names of the class.
select class_columns
from class_table as class_row_of
inner join state.begun_rows as each on each.delta_id = class_row_of.delta_id
where each.delta_status = $delta_status and each.class_row is not null
order by each.class_row
