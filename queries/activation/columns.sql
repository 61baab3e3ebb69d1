select
    column_name,
    data_type
from duckdb_columns()
where database_name = 'state' and table_name = $table_name and column_name not in ('delta_id', 'delta_hash')
order by column_index;
