-- The pages of a read that a database of version 1 holds.
select page, sha256, bytes
from old.ingest_pages
where read_id = $read_id
order by page;
