-- name: store
-- The one row stays as it is where it has this head already: then the published file stays, too.
update evidence_head
set note = $note
where note is distinct from $note;

-- name: read
select note as head
from evidence_head;
