-- name: store
-- A row that has this head already is unchanged, and so is the published file.
update evidence_head
set note = $note
where note is distinct from $note;

-- name: read
select note as head
from evidence_head;
