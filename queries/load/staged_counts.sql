-- How many records of each page became rows.
select page_number as page, count(*) as accepted
from staged_rows
group by page_number
order by page;
