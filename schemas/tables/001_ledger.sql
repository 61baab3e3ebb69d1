-- One row per run of ingest, import or rebuild; written in the transaction that ends the run's load.
create table ingest_runs (
    run_id varchar not null,
    source varchar not null,
    command varchar not null,
    started_at timestamp not null,
    finished_at timestamp,
    range_start timestamp,
    range_end timestamp,
    outcome varchar not null,
    windows bigint not null,
    pages bigint not null,
    fetched bigint not null,
    inserted bigint not null,
    duplicate bigint not null,
    quarantined bigint not null,
    vanished bigint not null,
    requests bigint not null,
    retries bigint not null,
    bytes bigint not null,
    catalog_version varchar not null,
    tool_version varchar not null,
    error varchar
);

-- One row per read of a window, or of an imported file, which has none; the view ingest_windows shows the
-- latest state of each window. A stretch that was given up as a gap, or accepted by hand, stands here, too: state
-- `gap` or `accepted`, no pages.
create table window_reads (
    read_id varchar not null,
    run_id varchar not null,
    source varchar not null,
    window_start timestamp,
    window_end timestamp,
    read_at timestamp not null,
    server_time timestamp,
    state varchar not null,
    pages bigint not null,
    fetched bigint not null,
    inserted bigint not null,
    duplicate bigint not null,
    quarantined bigint not null,
    vanished bigint not null,
    outside bigint not null,
    digest varchar not null,
    -- Why the window is not final by this read; null where it is.
    reason varchar,
    -- What shows that the answers were whole, and what speaks against it.
    evidence varchar[] not null,
    signs varchar[] not null,
    -- Says nothing about the window: the service no longer had it whole.
    neutral boolean not null,
    -- Number of requested ranges of the window that have records.
    parts integer not null,
    -- What the requests looked like; what they showed of the source's paging.
    form varchar,
    next_followed boolean not null,
    half_asked boolean not null,
    smallest_followed bigint,
    note varchar,
    -- True for a stretch that a person or the program marked; no read.
    is_mark boolean not null
);

-- One row per page of a read: fetched = inserted + duplicate + quarantined.
create table ingest_pages (
    read_id varchar not null,
    run_id varchar not null,
    source varchar not null,
    page bigint not null,
    sha256 varchar not null,
    bytes bigint not null,
    fetched bigint not null,
    inserted bigint not null,
    duplicate bigint not null,
    quarantined bigint not null
);

-- Records that cannot be read as events, kept with their text and the reason.
create table quarantine (
    quarantine_key varchar not null,
    source varchar not null,
    run_id varchar not null,
    sha256 varchar not null,
    page bigint not null,
    reason varchar not null,
    record_text varchar not null,
    first_seen_at timestamp not null
);

-- What filled the catalog tables last.
create table catalog_versions (
    catalog_version varchar not null
);

-- How far the nightly reading has come: everything before finalized_until is final.
create table checkpoints (
    source varchar not null,
    finalized_until timestamp not null,
    run_id varchar not null,
    updated_at timestamp not null
);
