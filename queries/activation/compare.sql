-- One row per id of this run and of the previous one (seed 002, States and transitions).
create or replace temp table delta as
with
both_runs as (
    select
        coalesce(now_there.delta_id, there_before.delta_id) as delta_id,
        now_there.delta_id is not null as is_there,
        there_before.delta_id is not null as was_there,
        now_there.delta_hash = there_before.delta_hash as is_same
    from state.incoming as now_there
    full join state.previous_rows as there_before on there_before.delta_id = now_there.delta_id
)
select
    delta_id,
    case
        when not was_there then 'new'
        when not is_there then 'deleted'
        when is_same then 'unchanged'
        else 'updated'
    end as delta_status
from both_runs;
