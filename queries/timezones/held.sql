-- The zones that are there; the default first.
select timezone, is_default, rules
from timezone_offset_rows
group by timezone, is_default, rules
order by is_default desc, timezone;
