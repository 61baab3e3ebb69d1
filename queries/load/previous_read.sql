-- The newest earlier read that touches a window and shows something of it, and whether it is one of just this window.
-- Only then can the two be compared. The newest of all stands beside it, also where the service had forgotten some of
-- it. It shows how often equal records are there. Beside them, how the window stands: it may have been accepted since,
-- or given up.
with
earlier as (
    select read_id, read_at, state, digest, quarantined, signs, parts, window_start, window_end, neutral, is_mark
    from window_reads
    where source = $source
      and window_start < $window_end::timestamp
      and window_end > $window_start::timestamp
      and (read_at, read_id) < ($seen_at::timestamp, $read_id)
),
compared as (
    select *
    from earlier
    where not neutral and not is_mark
    order by read_at desc, read_id desc
    limit 1
),
newest as (
    select digest, quarantined, signs, window_start, window_end
    from earlier
    where not is_mark
    order by read_at desc, read_id desc
    limit 1
),
standing as (
    select state, read_id, read_at
    from earlier
    where window_start <= $window_start::timestamp and window_end >= $window_end::timestamp
    order by read_at desc, read_id desc
    limit 1
)
select
    s.state as standing_state,
    s.read_id as standing_read_id,
    cast(s.read_at as varchar) as standing_seen_at,
    c.state, c.digest, c.quarantined, c.parts,
    len(c.signs) = 0 as is_complete,
    c.window_start = $window_start::timestamp and c.window_end = $window_end::timestamp as is_same,
    n.digest as newest_digest, n.quarantined as newest_quarantined,
    len(n.signs) = 0 as newest_is_complete,
    n.window_start = $window_start::timestamp and n.window_end = $window_end::timestamp as newest_is_same
from standing as s
full join compared as c on true
full join newest as n on true;
