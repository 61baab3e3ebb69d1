-- Whether a name stands for a view.
select view_name
from duckdb_views()
where view_name = $name and database_name = current_database() and schema_name = 'main';
