-- What the query texts of the range call tables: by the name alone, and with the database.
with
touched as (
    select distinct database_name, table_name
    from query_tables
    where job_date >= cast(make_timestamp(cast($since_ms as bigint) * 1000) as date)
      and job_date <= cast(make_timestamp(cast($until_ms as bigint) * 1000) as date)
)
select distinct name
from (
    select table_name as name from touched
    union
    select database_name || '.' || table_name as name from touched
) as names
where name <> ''
order by name;
