-- The pruned part of all-time sums, if a lake has the rest: a rebuild starts from it.
create table pruned_sighting_rows (
    source varchar not null,
    subject_kind varchar not null,
    subject varchar not null,
    first_seen_at timestamp not null,
    last_seen_at timestamp not null,
    events bigint not null
);

create table pruned_active_day_rows (
    source varchar not null,
    user_id bigint not null,
    event_date date not null,
    first_event_time timestamp not null,
    last_event_time timestamp not null,
    events bigint not null
);

-- Whether a prune retained the events that derived tables need.
alter table prunes add column keeps_folds boolean default false;
