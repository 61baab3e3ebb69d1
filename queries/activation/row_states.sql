-- How each row stands: there as far as anybody knows, or why it is not.
with
known as (
    select
        delta_id,
        cast(delta_hash as varchar) as delta_hash
    from state.previous_rows
)
select
    coalesce(refused.delta_id, known.delta_id) as row_key,
    coalesce(refused.state, 'delivered') as state,
    refused.delta_status,
    refused.reason,
    refused.delivery,
    refused.first_tried_at,
    refused.last_tried_at,
    refused.tries,
    coalesce(refused.delta_hash, known.delta_hash) as content_hash
from known
full join state.refused_rows as refused on refused.delta_id = known.delta_id
order by
    row_key,
    state,
    content_hash;
