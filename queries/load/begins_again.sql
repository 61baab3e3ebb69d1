-- Whether a read of before began with the same page.
select count(*) as reads
from ingest_pages
where sha256 = $first_page and page = 0 and source = $source and read_id <> $read_id;
