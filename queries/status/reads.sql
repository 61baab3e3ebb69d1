-- What the ledger holds of each read, with its pages in their order, as its manifest has it.
with pages as (
    select
        read_id,
        to_json(list({'sha256': sha256, 'bytes': bytes} order by page)) as page_list
    from ingest_pages
    group by read_id
)
select
    reads.read_id,
    reads.run_id,
    reads.source,
    cast(reads.window_start as varchar) as window_start,
    cast(reads.window_end as varchar) as window_end,
    cast(coalesce(reads.claimed_at, reads.read_at) as varchar) as read_at,
    cast(reads.server_time as varchar) as server_time,
    cast(coalesce(pages.page_list, '[]') as varchar) as page_list
-- A copy that an earlier version published knows of no reads that are dated ahead.
from (
    select * from window_reads
    union all by name
    select null::timestamp as claimed_at where false
) as reads
left join pages on pages.read_id = reads.read_id
order by reads.read_id
