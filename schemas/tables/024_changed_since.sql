-- Tables that 002 and 010 were given after databases had run them, and a column that 010_doubts took the place of.
create table if not exists catalog_extra (
    content varchar not null
);

create table if not exists fold_due (
    read_id varchar not null,
    first_event_time timestamp not null,
    last_event_time timestamp not null,
    events bigint not null
);

alter table window_reads drop column if exists unsure;
