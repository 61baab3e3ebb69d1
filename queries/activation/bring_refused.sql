-- The rows of an activation that did not arrive, as its own file has them.
delete from refused_rows
where activation = $activation;

insert into refused_rows (
    activation, delivery, delta_status, row_key, content_hash, state, reason, first_tried_at, last_tried_at, tries
)
select
    $activation, delivery, delta_status, delta_id, delta_hash, state, reason, first_tried_at, last_tried_at, tries
from state.refused_rows
order by delta_status, delta_id, delta_hash;
