-- One row per id of a record that several events have, with other content, time or name.
create table id_conflict_rows (
    source varchar not null,
    id varchar not null,
    versions bigint not null,
    first_event_time timestamp not null
);
