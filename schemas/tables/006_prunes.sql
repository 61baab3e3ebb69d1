-- One row per prune: what was removed from the landed pages, and whether the events of that time went, too.
create table prunes (
    prune_id varchar not null,
    pruned_at timestamp not null,
    before_time timestamp not null,
    -- Null: all sources.
    source varchar,
    with_events boolean not null,
    reads bigint not null,
    events bigint not null,
    quarantined bigint not null
);

-- The reads of a prune; landing can no longer restore their events.
create table pruned_reads (
    prune_id varchar not null,
    read_id varchar not null
);
