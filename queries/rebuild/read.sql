-- What a read was, as the attached database knows it. A read of the scheduled run moved the checkpoint.
select
    r.read_id, r.run_id, r.source,
    cast(r.window_start as varchar) as window_start,
    cast(r.window_end as varchar) as window_end,
    cast(r.read_at as varchar) as read_at,
    coalesce(epoch_ms(r.window_end) - epoch_ms(r.window_start), 86400000) as window_ms,
    case when g.command = 'ingest' and r.window_start is not null
        then cast(coalesce(g.range_start, r.window_start) as varchar)
    end as checkpoint_from
from old.window_reads as r
left join old.ingest_runs as g on g.run_id = r.run_id
where r.read_id = $read_id;
