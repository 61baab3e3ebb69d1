-- name: columns
-- The columns of a table or view, in their order.
select column_name, data_type
from duckdb_columns()
where table_name = $name and database_name = current_database() and schema_name = 'main'
order by column_index;

-- name: is_view
-- Whether a name is a view.
select view_name
from duckdb_views()
where view_name = $name and database_name = current_database() and schema_name = 'main';

-- name: newest_read
-- The newest read of the database, and whether it knows all reads of a list of ids: reads that it holds, that a prune
-- took, and that were undone.
with
asked as (
    select unnest(from_json($read_ids::json, '["varchar"]')) as read_id
),
known as (
    select read_id from window_reads
    union all
    select read_id from pruned_reads
    union all
    select read_id from undone_reads
)
select
    max_by(r.read_id, (r.read_at, r.read_id)) as newest_read,
    (select count(*) = 0 from asked as a anti join known as k on k.read_id = a.read_id) as is_known
from window_reads as r;

-- name: prune_mark
-- The moment before which a prune took events of some source; null where none did.
select cast(max(before_time) as varchar) as mark
from prunes
where with_events;
