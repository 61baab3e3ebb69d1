-- What earlier requests of one form have shown of a source.
select
    coalesce(bool_or(next_followed), false) as is_next_seen,
    min(smallest_followed) as smallest_followed,
    coalesce(bool_or(fetched > 0), false) as has_given,
    coalesce(bool_or(half_asked), false) as is_half_asked
from window_reads
where source = $source
  and form = $form
  and ($read_id is null or (read_at, read_id) < ($seen_at::timestamp, $read_id));
