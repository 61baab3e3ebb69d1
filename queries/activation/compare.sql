-- One row per id of this run and of the destination (seed 002, States and transitions), with its number among the
-- outgoing rows of its class. Rows that failed before are excluded unless they are retried. Hashes stay numbers:
-- writing one as text takes longer than all other work on a row.
create or replace table state.begun_rows as
with
there_before as (
    select
        delta_id,
        delta_hash
    from state.previous_rows
    where $is_comparable
),
both_runs as (
    select
        coalesce(now_there.delta_id, there_before.delta_id) as delta_id,
        coalesce(now_there.delta_hash, there_before.delta_hash) as delta_hash,
        now_there.delta_id is not null as is_there,
        there_before.delta_id is not null as was_there,
        now_there.delta_hash = there_before.delta_hash as is_same
    from state.incoming as now_there
    full join there_before on there_before.delta_id = now_there.delta_id
),
-- A row that perhaps arrived counts as delivered, in the class of that delivery, and is excluded. If it was perhaps
-- deleted and now returns unchanged, it is sent as new. If its earlier content perhaps never arrived and it now has
-- that content again, it is sent as updated.
classified as (
    select
        both_runs.delta_id,
        both_runs.delta_hash,
        refused.state as refused_state,
        refused.delta_status as refused_status,
        cast(refused.delta_hash as uhugeint) as refused_hash,
        case
            when is_same and refused.state = 'uncertain' and refused.delta_status = 'deleted' then 'new'
            when is_same and refused.state = 'uncertain' then refused.delta_status
            when is_same and refused.is_doubtful then 'updated'
            when not was_there then 'new'
            when not is_there then 'deleted'
            when is_same then 'unchanged'
            else 'updated'
        end as delta_status
    from both_runs
    left join state.refused_rows as refused on refused.delta_id = both_runs.delta_id
),
known as (
    select
        delta_id,
        delta_status,
        delta_hash,
        coalesce(
            refused_status = delta_status
            and refused_hash = delta_hash
            and not (refused_state = 'refused' and $retry_refused)
            and not (refused_state = 'uncertain' and $resend_uncertain),
            false
        ) as is_aside,
        coalesce(
            refused_state = 'uncertain' and refused_status = delta_status and refused_hash = delta_hash,
            false
        ) as was_uncertain
    from classified
)
select
    delta_id,
    delta_status,
    delta_hash,
    is_aside,
    was_uncertain,
    case when not is_aside then row_number() over (partition by delta_status, is_aside order by delta_id) end as class_row,
    cast(null as varchar) as state,
    cast(null as varchar) as reason
from known;
