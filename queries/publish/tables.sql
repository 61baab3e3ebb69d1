-- The tables of a database; reading every column of them reads, and so checks, every block of the file.
select table_name
from duckdb_tables()
where not temporary and not internal and database_name = current_database()
order by table_name;
