-- The next state of the destination: the rows of this run without failed ones. Failed rows with an earlier state are in
-- `rows_as_before`, with the columns of that time.
create or replace temp macro is_as_before(is_aside, state, delta_status, was_uncertain) as (
    (is_aside or state is not null)
    -- What perhaps arrived counts as there, so that what comes after it goes out in any case. What was perhaps deleted
    -- counts as there, too.
    and not (
        delta_status <> 'deleted'
        and (
            state is not distinct from 'uncertain'
            or was_uncertain and (is_aside or state is not null)
        )
    )
);

create or replace table state.next_rows as
select incoming.*
from state.incoming as incoming
inner join state.begun_rows as each on each.delta_id = incoming.delta_id
where not is_as_before(each.is_aside, each.state, each.delta_status, each.was_uncertain);

create or replace temp view rows_as_before as
select previous.*
from state.previous_rows as previous
inner join state.begun_rows as each on each.delta_id = previous.delta_id
where
    is_as_before(each.is_aside, each.state, each.delta_status, each.was_uncertain)
    and each.delta_status <> 'new';
