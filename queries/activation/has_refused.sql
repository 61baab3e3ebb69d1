select count(*) > 0 as is_there
from duckdb_tables()
where database_name = 'state' and table_name = 'refused_rows';
