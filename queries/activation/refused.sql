-- Rows that did not arrive, the last tried first.
select
    delta_id,
    delta_status,
    state,
    reason,
    tries
from state.refused_rows
where delivery = $delivery and state <> 'given_up'
order by delta_status, delta_id
limit 5;
