-- Rows that did not arrive and are tried no more: gone from the source, or of other content by now.
select
    count(*) filter (where now_there.delta_id is null) as gone,
    count(*) filter (where now_there.delta_id is not null) as changed
from state.refused_rows as refused
left join state.incoming as now_there on now_there.delta_id = refused.delta_id
where
    refused.state <> 'given_up'
    and not exists (
        select 1
        from state.begun_rows as each
        where
            each.delta_id = refused.delta_id
            and each.delta_status = refused.delta_status
            and cast(each.delta_hash as uhugeint) = cast(refused.delta_hash as uhugeint)
    );
