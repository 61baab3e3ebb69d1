-- What an activation's file holds: one that a killed run began to make may lack anything.
select table_name
from duckdb_tables()
where database_name = 'state'
order by table_name;
