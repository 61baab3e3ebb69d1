-- Rows that did not arrive, the first of them.
select
    delta_id as id,
    delta_status as status,
    state,
    reason
from state.refused_rows
where delivery = $delivery and state <> 'given_up'
order by delta_status, delta_id
limit 5;
