-- The columns of a table or view, in their order.
select column_name, data_type
from duckdb_columns()
where table_name = $name and database_name = current_database() and schema_name = 'main'
order by column_index;
