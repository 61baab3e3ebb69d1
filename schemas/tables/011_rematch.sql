-- Names whose events have to be matched with the catalog again: added when the catalog changes, deleted when all their
-- events are matched.
create table rematch_due (
    recorded_name varchar not null,
    -- Whether derived tables use events of this name, by the previous or the present catalog.
    is_folded boolean not null,
    -- The day to go on with; null where nothing is done yet.
    next_date date
);

-- The rules that events were matched by, as a hash; null in databases of before.
alter table catalog_versions add column rules_version varchar;
