-- The generated reference of events, filled from generated/catalog.sql. Numbers follow from their text, so that rows of
-- events keep their meaning when the catalog grows.
create table catalog_entries (
    entry_id integer not null,
    event_name varchar not null,
    area varchar not null,
    variant varchar,
    generation varchar,
    denial_kind varchar,
    trigger varchar,
    operation_not_shown boolean not null,
    note varchar,
    -- Stands in for an event of variants alone, where the path fits none of them.
    is_fallback boolean not null
);

create table catalog_operations (
    event_name varchar not null,
    area varchar not null,
    variant varchar,
    generation varchar,
    verb varchar not null,
    path varchar not null,
    operation varchar not null,
    segments integer not null,
    deduced boolean not null,
    written varchar
);

create table catalog_columns (
    event_name varchar not null,
    area varchar not null,
    variant varchar,
    position integer not null,
    column_name varchar not null,
    optional boolean not null
);

-- A recorded name, current or old, and its entry without and with /entities in the path.
create table catalog_names (
    recorded_name varchar not null,
    is_alias boolean not null,
    plain_entry_id integer not null,
    entities_entry_id integer not null,
    max_segments integer
);

-- The path templates of a recorded name, the most specific first.
create table catalog_templates (
    recorded_name varchar not null,
    verb varchar not null,
    segments integer not null,
    rank integer not null,
    pattern varchar not null,
    operation_id integer not null,
    entry_id integer not null
);

create table operation_texts (
    operation_id integer not null,
    operation varchar not null
);

create table catalog_denied_results (
    area varchar not null,
    event_result varchar not null,
    denial_kind varchar not null
);

-- The user's own events as their file last read them, for when it is broken.
create table catalog_extra (
    content varchar not null
);
