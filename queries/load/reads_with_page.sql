-- Earlier reads that hold a page.
select distinct read_id
from ingest_pages
where sha256 = $page_hash and source = $source and read_id <> $read_id
order by read_id;
