-- One row per query job, statement, table and access, as the job's text says it (queries/texts). The day is the job's;
-- a table without a database belongs to that of the job. No table is named where a statement drops a whole database.
create or replace view query_tables as
select
    source, job_id, job_date, statement_number, statement_kind, database_name, table_name, access
from query_table_rows;

-- One row per query job, statement, column and access; `*` means all columns. Only columns whose table follows from the
-- text alone.
create or replace view query_columns as
select
    source, job_id, job_date, statement_number, database_name, table_name, column_name, access
from query_column_rows;
