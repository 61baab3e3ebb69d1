-- The latest state of each window that was asked for.
create or replace view ingest_windows as
with latest as (
    select
        source, window_start, window_end,
        max(read_at) as last_read_at,
        min(read_at) as first_read_at,
        count(*) as reads,
        arg_max(state, read_at) as state,
        arg_max(run_id, read_at) as run_id,
        arg_max(fetched, read_at) as fetched,
        arg_max(vanished, read_at) as vanished,
        arg_max(digest, read_at) as digest,
        sum(inserted)::bigint as inserted,
        sum(quarantined)::bigint as quarantined
    from window_reads
    where window_start is not null
    group by source, window_start, window_end
)
select
    source, window_start, window_end, state, reads, first_read_at, last_read_at, run_id,
    fetched, inserted, quarantined, vanished, digest
from latest;

-- How far everything is final: the checkpoint, once it has passed a sealed window.
create or replace view final_up_to as
select c.source, c.sealed_until as final_until
from checkpoints as c
where exists (
    select 1
    from window_reads as r
    where r.source = c.source and r.state = 'sealed' and r.window_end <= c.sealed_until
);
