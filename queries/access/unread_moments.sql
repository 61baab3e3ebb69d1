-- Which moments are not within what was read of the log; a row for each source and moment of which that is so.
with
asked as (select distinct unnest($moments::timestamp[]) as moment)
select
    l.source, a.moment, l.read_from, l.read_until, g.gap_start, g.gap_end,
    case
        when a.moment < l.read_from then 'before'
        when a.moment > l.read_until then 'after'
        else 'gap'
    end as place
from log_ranges as l
cross join asked as a
left join access_gap_rows as g on g.source = l.source and g.gap_start <= a.moment and g.gap_end > a.moment
where ($source is null or l.source = $source)
  and (a.moment < l.read_from or a.moment > l.read_until or g.source is not null)
order by l.source, a.moment
