-- Forgets what every text touches, and has all of them read again.
delete from query_text_rows;

delete from query_table_rows;

delete from query_column_rows;

delete from query_text_due;

insert into query_text_due by name
select
    source, job_id, activity_date as job_date, lower(database_name) as database_name,
    text_time, coalesce(text_key, activity_key) as text_key, text_hash
from job_rows
where text_hash is not null;
