-- How far the clocks of a time zone are ahead of UTC, from when to when. Reports that speak of hours of the day join
-- this, so that they need no function which engines call otherwise.
create or replace view timezone_offsets as
select timezone, is_default, valid_from, valid_to, offset_minutes
from timezone_offset_rows;
