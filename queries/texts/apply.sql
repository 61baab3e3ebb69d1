-- The texts that jobs wait for and that were read: looked for by their hashes alone, since what they touch is wide.
create or replace temp table known_texts as
select t.rowid as place, t.text_hash
from query_text_rows as t
semi join query_text_due as d on d.text_hash = t.text_hash;

-- The rows of the jobs that run them. A table that the text gives no database is in that of the job.
insert into query_table_rows by name
with
touched as (
    select d.source, d.job_id, d.job_date, d.database_name as own_database, unnest(t.tables) as named
    from query_text_rows as t
    inner join known_texts as k on k.place = t.rowid
    inner join query_text_due as d on d.text_hash = k.text_hash
)
select distinct
    source, job_id, job_date,
    named.statement_number as statement_number, named.statement_kind as statement_kind,
    coalesce(named.database_name, own_database) as database_name, named.table_name as table_name,
    named.access as access
from touched
order by job_date, source, job_id, statement_number, database_name, table_name, access;

insert into query_column_rows by name
with
touched as (
    select d.source, d.job_id, d.job_date, d.database_name as own_database, unnest(t.columns) as named
    from query_text_rows as t
    inner join known_texts as k on k.place = t.rowid
    inner join query_text_due as d on d.text_hash = k.text_hash
)
select distinct
    source, job_id, job_date,
    named.statement_number as statement_number,
    coalesce(named.database_name, own_database) as database_name, named.table_name as table_name,
    named.column_name as column_name, named.access as access
from touched
order by job_date, source, job_id, statement_number, database_name, table_name, column_name, access;

delete from query_text_due
where text_hash in (select k.text_hash from known_texts as k);
