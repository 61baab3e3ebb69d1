-- The rows that did not arrive, as they stand after a delivery. Those of before are replaced that were tried again, or
-- whose content is another one by now.
create or replace temp table former_refused as
select
    delta_id,
    delta_status,
    cast(delta_hash as uhugeint) as delta_hash,
    state = 'uncertain' or is_doubtful as is_doubtful,
    first_tried_at,
    tries
from state.refused_rows;

delete from state.refused_rows as refused
where not exists (
    select 1
    from state.begun_rows as each
    where
        each.is_aside
        and each.delta_id = refused.delta_id
        and each.delta_status = refused.delta_status
        and cast(each.delta_hash as uhugeint) = cast(refused.delta_hash as uhugeint)
);

insert into state.refused_rows (
    delta_id, delta_status, delta_hash, delivery, state, is_doubtful, reason, first_tried_at, last_tried_at, tries
)
select
    each.delta_id,
    each.delta_status,
    cast(each.delta_hash as varchar),
    $delivery,
    -- What once perhaps arrived stays so, whatever a later try met.
    case when each.was_uncertain then 'uncertain' else each.state end,
    coalesce(same_id.is_doubtful, false),
    coalesce(each.reason, 'unknown'),
    coalesce(former.first_tried_at, cast($tried_at as timestamp)),
    cast($tried_at as timestamp),
    coalesce(former.tries, 0) + 1
from state.begun_rows as each
left join former_refused as former
    on former.delta_id = each.delta_id
    and former.delta_status = each.delta_status
    and former.delta_hash = cast(each.delta_hash as uhugeint)
left join former_refused as same_id on same_id.delta_id = each.delta_id
where each.state in ('refused', 'uncertain');

drop table former_refused;
