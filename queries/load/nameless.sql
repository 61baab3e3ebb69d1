-- How many events without a name each page of a read brought.
select page_number as page, count(*) as nameless
from event_rows
where read_id = $read_id and nullif(event_name, '') is null
group by page_number
order by page;
