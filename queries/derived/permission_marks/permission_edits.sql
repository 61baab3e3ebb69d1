-- Successful changes of a permission set, a shared database or the flags of a user among the new events, with both
-- values as text. edit_key identifies the change in the following steps.
create or replace temp table permission_edits as
select
    row_number() over () as edit_key,
    e.event_key, e.source, e.event_time, e.user_id, e.user_email,
    e.canonical_name, e.attribute_name,
    case e.canonical_name when 'permission_policy_modify' then 'policy' else 'user' end as subject_kind,
    case
        when e.canonical_name in ('permission_policy_modify', 'user_modify') then e.resource_id
        else cast(e.affected_user_id as varchar)
    end as subject_id,
    case e.canonical_name
        when 'database_permission_modify' then 'share'
        when 'user_modify' then 'flag'
        else 'set'
    end as origin,
    case e.canonical_name when 'database_permission_modify' then e.resource_id end as shared_id,
    e.old_text,
    -- A promotion says by its path alone what it grants.
    case
        when o.operation = 'POST /users/:id/promote' and coalesce(e.new_text, '') = ''
        then '{"administrator":true}'
        else e.new_text
    end as new_text
from due_access_events as e
left join operation_texts as o on o.operation_id = e.operation_id
where is_permission_edit(e.canonical_name)
  and e.is_successful
  -- The name of a policy is free text: it may read like a set.
  and not (
      e.canonical_name = 'permission_policy_modify'
      and coalesce(lower(e.attribute_name), '') in ('name', 'description')
  );
