-- How far the scheduled reading of a source has come. Before a first night has stored anything, it goes on where
-- the first one began.
with
watermark as (
    select final_from, final_until, resume_from
    from final_up_to
    where source = $source
),
begun as (
    select min(range_start) as began
    from ingest_runs
    where source = $source and command = 'ingest'
)
select
    epoch_ms(f.final_from) as final_from_ms,
    epoch_ms(f.final_until) as final_ms,
    epoch_ms(coalesce(f.resume_from, b.began)) as resume_ms
from begun as b
left join watermark as f on true;
