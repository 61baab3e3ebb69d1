-- The reads of before that began with the same page.
select read_id
from ingest_pages
where sha256 = $first_page and page = 0 and source = $source and read_id <> $read_id
order by read_id;
