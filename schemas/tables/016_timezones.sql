-- How far the clocks of a time zone are ahead of UTC, one row per stretch of time without a change of clocks; of the
-- zones that the configuration names (pipeline/time-zone.ts).
create table timezone_offset_rows (
    timezone varchar not null,
    is_default boolean not null,
    valid_from timestamp not null,
    valid_to timestamp not null,
    offset_minutes integer not null,
    -- The version of the rules that they come from.
    rules varchar not null
);

insert into timezone_offset_rows
values ('UTC', true, timestamp '1900-01-01', timestamp '9999-12-31', 0, 'none');
