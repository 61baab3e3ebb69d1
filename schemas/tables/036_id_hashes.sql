-- One row per event whose record has an id: 40 bits of its hash, which find a repeated id without reading the ids of
-- the whole history.
create table id_hash_rows (
    event_date date not null,
    id_hash ubigint not null
);
