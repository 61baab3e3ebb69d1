-- Copies the undelivered rows of an activation from its file. Existing rows stay untouched, so that nothing is
-- published without a change.
delete from refused_rows
where activation = $activation
  and (delivery, delta_status, row_key, content_hash, state, reason, first_tried_at, last_tried_at, tries) not in (
      select (delivery, delta_status, delta_id, delta_hash, state, reason, first_tried_at, last_tried_at, tries)
      from state.refused_rows
  );

insert into refused_rows (
    activation, delivery, delta_status, row_key, content_hash, state, reason, first_tried_at, last_tried_at, tries
)
select
    $activation, delivery, delta_status, delta_id, delta_hash, state, reason, first_tried_at, last_tried_at, tries
from state.refused_rows
where (delivery, delta_status, delta_id, delta_hash, state, reason, first_tried_at, last_tried_at, tries) not in (
    select (delivery, delta_status, row_key, content_hash, state, reason, first_tried_at, last_tried_at, tries)
    from refused_rows
    where activation = $activation
)
order by delta_status, delta_id, delta_hash;
