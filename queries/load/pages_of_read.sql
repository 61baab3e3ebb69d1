-- The pages of a read as they were counted.
select page, sha256, bytes, fetched, quarantined
from ingest_pages
where read_id = $read_id
order by page;
