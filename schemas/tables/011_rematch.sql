-- Names whose events are to be matched with the catalog again: entered with the catalog that changed, gone when all
-- their events are matched.
create table rematch_due (
    recorded_name varchar not null,
    -- Whether events of this name are folded into the derived tables, by the catalog before or the one now.
    is_folded boolean not null,
    -- The day to go on with; null where nothing is done yet.
    next_date date
);

-- The rules that events were matched by, as a hash; null in databases of before.
alter table catalog_versions add column rules_version varchar;
