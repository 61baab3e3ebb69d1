-- Rights of pending policies, over consecutive evidence without a gap. known_from is log, snapshot or both;
-- `contradicted` from a change in the log to the snapshot that disagrees with it; `log, order unknown` if changes
-- within one second leave it open; `snapshot, time unknown` if a snapshot does not show the start; `gap in the log`
-- from a gap in the ledger to the next evidence. held_since reaches back over times that a gap makes unknown.
delete from policy_right_rows
where rowid in (
    select r.rowid
    from policy_right_rows as r
    semi join access_due as d on d.source = r.source and d.subject_kind = 'policy' and d.subject_id = r.policy_id
);

insert into policy_right_rows (
    source, policy_id, resource_kind, operation, object_id, object_name, valid_from, valid_to, held_since,
    granted_by_user_id, granted_by_user_email, granted_event_key, known_from
)
with
pieces as (
    select
        t.source, t.subject_id as policy_id, t.resource_kind, t.operation, t.object_id, t.object_name,
        t.valid_from, t.valid_to, t.held_since,
        case when t.granted_event_key is not null then {
            'key': t.granted_event_key, 'user_id': t.granted_by_user_id, 'email': t.granted_by_user_email
        } end as granting,
        t.evidence = 'seen' or t.snapshot_id is not null as is_shown,
        case
            when t.evidence = 'contradicted' then 'contradicted'
            when t.is_uncertain and (t.evidence = 'seen' or t.snapshot_id is not null) then 'snapshot, time unknown'
            when t.is_uncertain then 'log, order unknown'
        end as dispute,
        t.evidence = 'unknown' as is_unknown
    from access_timeline_rows as t
    semi join access_due as d
        on d.source = t.source and d.subject_kind = t.subject_kind and d.subject_id = t.subject_id
    where t.subject_kind = 'policy'
),
joints as (
    select
        source, policy_id, resource_kind, operation, object_id, object_name, valid_from, valid_to, held_since,
        granting, is_shown, dispute, is_unknown,
        -- Entries that differ in what else they say may overlap: they are one right.
        coalesce(valid_from <= max(coalesce(valid_to, 'infinity'::timestamp)) over rights_before, false)
            and dispute is not distinct from lag(dispute) over right_in_time as follows,
        lag(is_unknown) over right_in_time as was_unknown
    from pieces
    window
        right_in_time as (
            partition by source, policy_id, resource_kind, operation, object_id, object_name
            order by valid_from nulls first, valid_to
        ),
        rights_before as (
            partition by source, policy_id, resource_kind, operation, object_id, object_name
            order by valid_from nulls first, valid_to
            rows between unbounded preceding and 1 preceding
        )
),
numbered as (
    select
        source, policy_id, resource_kind, operation, object_id, object_name, valid_from, valid_to, held_since,
        granting, is_shown, dispute, is_unknown, follows,
        sum(case when follows and is_unknown = was_unknown then 0 else 1 end) over until_here as place,
        sum(case when follows then 0 else 1 end) over until_here as holding
    from joints
    window until_here as (
        partition by source, policy_id, resource_kind, operation, object_id, object_name
        order by valid_from nulls first, valid_to
        rows between unbounded preceding and current row
    )
),
holdings as (
    select
        source, policy_id, resource_kind, operation, object_id, object_name, holding,
        case when count(*) = count(held_since) then min(held_since) end as held_since,
        max(granting) filter (where not follows) as granting
    from numbered
    group by source, policy_id, resource_kind, operation, object_id, object_name, holding
)
select
    n.source, n.policy_id, n.resource_kind, n.operation, n.object_id, n.object_name,
    case when count(*) = count(n.valid_from) then min(n.valid_from) end as valid_from,
    case when count(*) = count(n.valid_to) then max(n.valid_to) end as valid_to,
    h.held_since,
    h.granting.user_id as granted_by_user_id, h.granting.email as granted_by_user_email,
    h.granting.key as granted_event_key,
    case
        when bool_or(n.is_unknown) then 'gap in the log'
        when max(n.dispute) is not null then max(n.dispute)
        when bool_and(n.is_shown) then 'snapshot'
        when bool_or(n.is_shown) then 'log and snapshot'
        else 'log'
    end as known_from
from numbered as n
inner join holdings as h
    on h.source = n.source and h.policy_id = n.policy_id and h.resource_kind = n.resource_kind
    and h.operation = n.operation and h.object_id is not distinct from n.object_id
    and h.object_name is not distinct from n.object_name and h.holding = n.holding
group by
    n.source, n.policy_id, n.resource_kind, n.operation, n.object_id, n.object_name, n.place,
    h.held_since, h.granting;
