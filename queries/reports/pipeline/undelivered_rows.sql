-- title: Undelivered rows
-- question: Which rows of activations did not arrive or may not have arrived, and why?
-- family: pipeline
-- grain: one row per row of an activation that did not arrive, or whose arrival is uncertain
-- param: since timestamp = 7d
-- param: until timestamp = now
with
undelivered as (
    select
        activation, delivery, delta_status, row_key, content_hash, state, reason, first_tried_at, last_tried_at,
        tries
    from refused_rows
    where last_tried_at >= cast($since as timestamp)
      and last_tried_at < cast($until as timestamp)
)
select
    activation,
    row_key,
    delta_status,
    state,
    reason,
    tries,
    first_tried_at,
    last_tried_at,
    delivery,
    content_hash
from undelivered
order by activation, row_key, delta_status, content_hash, first_tried_at, last_tried_at, delivery, state, reason, tries
