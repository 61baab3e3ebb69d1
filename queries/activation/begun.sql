select
    number,
    strftime(began_at, '%Y-%m-%dT%H:%M:%S.%gZ') as began_at,
    strftime(due_at, '%Y-%m-%dT%H:%M:%S.%gZ') as due_at,
    id_key,
    id_type,
    delta_keys,
    all_new_because,
    mapped
from state.begun;
