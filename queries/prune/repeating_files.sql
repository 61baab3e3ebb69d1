-- The files that hold events which other reads brought: what they brought themselves does not tell how old they are.
select read_id
from window_reads
where window_start is null and not is_mark and duplicate > 0
  and ($source is null or source = $source)
order by read_id;
