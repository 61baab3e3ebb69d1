-- From the start of a gap in the ledger to the next evidence of a series, its rights are unknown; without earlier
-- evidence also before the gap. A gap of length zero is the end of the read log. It lasts to the first later reading.
create or replace temp table silences as
with
unseen as (
    select
        e.series_key,
        case when bool_or(e.shown_at < g.gap_start) then g.gap_start else '-infinity'::timestamp end as gap_start,
        min(e.shown_at) filter (where e.shown_at >= g.gap_end) as until_at
    from access_gap_rows as g
    inner join due_series as s on s.source = g.source
    inner join evidence_times as e on e.series_key = s.series_key
    group by e.series_key, g.gap_start, g.gap_end
    having g.gap_start < g.gap_end or bool_or(e.is_reading) and max(e.shown_at) >= g.gap_end
)
-- Of two gaps without any evidence between them the first lasts as long as the second.
select series_key, min(gap_start) as from_at, until_at
from unseen
group by series_key, until_at;
