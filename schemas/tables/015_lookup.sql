-- The templates of a recorded name, a verb and a number of segments in one row; filled with the catalog
-- (queries/load/lookup.sql).
create table template_lookup (
    recorded_name varchar not null,
    verb varchar not null,
    segments integer not null,
    first_template struct(pattern varchar, operation_id integer, entry_id integer) not null,
    -- The most specific first; null for a single one.
    templates struct(pattern varchar, operation_id integer, entry_id integer)[]
);
