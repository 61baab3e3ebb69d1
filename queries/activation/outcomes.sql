-- What became of rows of one class that did not arrive, by their numbers.
with
given as (
    select
        unnest($rows) as class_row,
        unnest($reasons) as reason
)
update state.begun_rows as each
set state = $state, reason = given.reason
from given
where each.delta_status = $delta_status and each.class_row = given.class_row;
