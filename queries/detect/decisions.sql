-- name: known
select decision_id
from decision_rows
order by decision_id;

-- name: bring
insert into decision_rows (
    decision_id, decided_at, decided_by, decision, detection, source, key, first_at, last_at, finding_id, closed_as,
    conditions, suppressed_until, reason
)
values (
    $decision_id, cast($decided_at as timestamp), $decided_by, $decision, $detection, $source, $key,
    cast($first_at as timestamp), cast($last_at as timestamp), $finding_id, $closed_as, $conditions,
    cast($suppressed_until as timestamp), $reason
);
