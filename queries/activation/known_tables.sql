select
    table_schema,
    table_name
from information_schema.tables
where table_catalog = current_database()
order by
    table_schema,
    table_name;
