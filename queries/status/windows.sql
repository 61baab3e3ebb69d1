-- Windows by state.
select source, state, count(*) as windows, min(window_start) as first_start, max(window_end) as last_end
from known_windows
where $source is null or source = $source
group by source, state
order by source, state;
