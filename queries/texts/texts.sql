-- name: any
-- Whether any job waits for the rows of its text.
select count(*) > 0 as is_due
from (select d.job_id from query_text_due as d limit 1) as first_due;

-- name: left
-- How many texts wait to be read.
select count(distinct d.text_hash)::bigint as texts
from query_text_due as d
anti join query_text_rows as t on t.text_hash = d.text_hash;

-- name: stale
-- Whether texts were read by another version of the reader.
select count(*)::bigint as texts
from query_text_rows
where reader <> $reader;

-- name: due
-- The next unread texts, newest first, so that texts of the last run come before old ones; none larger than max_bytes.
with
unread as (
    select d.text_hash, max_by({'at': d.text_time, 'key': d.text_key}, d.text_time) as place
    from query_text_due as d
    anti join query_text_rows as t on t.text_hash = d.text_hash
    group by d.text_hash
),
chosen as (
    select text_hash, place.at as text_time, place.key as text_key
    from unread
    order by text_time desc, text_hash
    limit $texts
)
select
    cast(c.text_hash as varchar) as hash,
    case when is_hive_job(e.job_type) then 'hive' else 'trino' end as dialect,
    case when strlen(e.query_text) <= $max_bytes then e.query_text end as text
from chosen as c
inner join event_rows as e on e.event_time = c.text_time and e.event_key = c.text_key
order by c.text_time desc, c.text_hash;

-- name: record
-- Enters what was read.
insert into query_text_rows by name
with
given as (
    select unnest(from_json($readings::json, '[{
        "text_hash": "uuid", "state": "varchar", "statements": "integer",
        "tables": [{
            "statement_number": "integer", "statement_kind": "varchar",
            "database_name": "varchar", "table_name": "varchar", "access": "varchar"
        }],
        "columns": [{
            "statement_number": "integer",
            "database_name": "varchar", "table_name": "varchar", "column_name": "varchar", "access": "varchar"
        }]
    }]')) as reading
)
select
    reading.text_hash as text_hash, reading.state as state, $reader::integer as reader,
    reading.statements as statements, reading.tables as tables, reading.columns as columns
from given;

-- name: apply
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

insert into known_changes (change_id, first_time, last_time)
select
    (select coalesce(max(change_id), 0) + 1 from known_changes) as change_id,
    min(d.text_time) as first_time,
    max(d.text_time) as last_time
from query_text_due as d
semi join known_texts as k on k.text_hash = d.text_hash
where d.text_time is not null
having count(*) > 0;

delete from query_text_due
where text_hash in (select k.text_hash from known_texts as k);

-- name: again
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

-- name: unused
-- Forgets the texts that no job runs any more.
delete from query_text_rows
where text_hash not in (select j.text_hash from job_rows as j where j.text_hash is not null);
