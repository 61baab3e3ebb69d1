-- The newest earlier read that touches a window, and whether it is one of just this window: only then can the
-- two be compared.
select
    read_id, cast(read_at as varchar) as seen_at, state, digest, quarantined,
    window_start = $window_start::timestamp and window_end = $window_end::timestamp as is_same
from window_reads
where source = $source
  and window_start < $window_end::timestamp
  and window_end > $window_start::timestamp
  and (read_at, read_id) < ($seen_at::timestamp, $read_id)
order by read_at desc, read_id desc
limit 1;
