-- The tables of the attached database whose rows a new one lacks: all that a migration does not fill.
select t.table_name
from duckdb_tables() as t
where t.database_name = 'old' and t.schema_name = 'main'
  and t.table_name <> 'schema_migrations'
  and t.table_name not like 'catalog%' and t.table_name <> 'operation_texts'
order by t.table_name;
