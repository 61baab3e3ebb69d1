-- The zones that are there; the default first.
select timezone
from timezone_offset_rows
group by timezone, is_default
order by is_default desc, timezone;
