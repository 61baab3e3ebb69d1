-- Every read of a window: which source, when, the pages of it and how many records came.
with
pages as (
    select read_id, list(sha256 order by page) as pages
    from ingest_pages
    group by read_id
)
select
    r.source, r.read_id,
    epoch_ms(r.read_at) as read_ms,
    epoch_ms(r.server_time) as server_ms,
    epoch_ms(r.window_start) as from_ms,
    epoch_ms(r.window_end) as to_ms,
    r.fetched,
    coalesce(p.pages, []) as pages
from window_reads as r
left join pages as p on p.read_id = r.read_id
where not r.is_mark
order by r.source, r.read_at, r.read_id;
