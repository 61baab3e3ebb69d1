-- Backfills that ended in part or not at all, and that no later one over their range made good.
select range_start, range_end, outcome, started_at
from ingest_runs as r
where source = $source
  and command = 'backfill'
  and outcome in ('partial', 'failed', 'interrupted')
  and range_start is not null
  and not exists (
      select 1
      from ingest_runs as later
      where later.source = r.source
        and later.command = 'backfill'
        and later.outcome = 'done'
        and later.started_at > r.started_at
        and later.range_start <= r.range_start
        and later.range_end >= r.range_end
  )
order by range_start, range_end, started_at;
