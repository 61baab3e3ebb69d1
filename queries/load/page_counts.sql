-- How many records of each page became event rows.
select page_number as page, count(*) as accepted
from event_rows
where read_id = $read_id
group by page_number
order by page;
