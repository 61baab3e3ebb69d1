-- One row per event whose record has an id: 40 bits of a hash of it, by which an id that comes again is found without
-- reading the ids of the whole history.
create table id_hash_rows (
    event_date date not null,
    id_hash ubigint not null
);
