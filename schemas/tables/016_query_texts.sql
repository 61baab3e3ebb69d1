-- Identity of the text of a job (queries/derived/kinds.sql); null without a text.
alter table job_rows add column text_hash uuid;

-- What each text touches that was read, once for all jobs that run it.
create table query_text_rows (
    text_hash uuid not null,
    -- parsed, failed, timed_out or too_large.
    state varchar not null,
    -- The version of what read it.
    reader integer not null,
    statements integer not null,
    -- Databases are null where the text names none.
    tables struct(
        statement_number integer, statement_kind varchar, database_name varchar, table_name varchar, access varchar
    )[] not null,
    columns struct(
        statement_number integer, database_name varchar, table_name varchar, column_name varchar, access varchar
    )[] not null
);

-- Jobs whose text is unread or not yet looked up: added by the refresh, deleted when they have their rows.
create table query_text_due (
    source varchar not null,
    job_id varchar not null,
    job_date date not null,
    database_name varchar,
    text_time timestamp not null,
    text_key uuid not null,
    text_hash uuid not null
);

-- One row per job, statement, table and access.
create table query_table_rows (
    source varchar not null,
    job_id varchar not null,
    job_date date not null,
    statement_number integer not null,
    statement_kind varchar not null,
    database_name varchar,
    table_name varchar,
    access varchar not null
);

-- One row per job, statement, column and access, if the table of the column is known.
create table query_column_rows (
    source varchar not null,
    job_id varchar not null,
    job_date date not null,
    statement_number integer not null,
    database_name varchar,
    table_name varchar not null,
    column_name varchar not null,
    access varchar not null
);
