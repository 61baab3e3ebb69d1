-- Records with what the catalog knows of them: their entry, the template of their path, how they match. `records`
-- names a table, a view or a step of the statement around; of its columns `event_name`, `verb` and `path` count.
create or replace temp macro matched(records) as table
with
trimmed as (
    -- Query string, slashes at both ends and the optional format suffix do not count (seed 001, What the service does, rule 4).
    select *, '/' || trim(split_part(split_part(path, '?', 1), '#', 1), '/') as trimmed_path
    from query_table(records)
),
paths as (
    select
        *,
        case
            when contains(trimmed_path, '.')
            then regexp_replace(trimmed_path, '([^/])\.[A-Za-z0-9]+(\.[A-Za-z0-9]+)?$', '\1')
            else trimmed_path
        end as bare_path
    from trimmed
),
named as (
    select
        p.*,
        n.is_alias,
        n.max_segments,
        case
            when contains(p.trimmed_path || '/', '/entities/') then n.entities_entry_id
            else n.plain_entry_id
        end as name_entry_id,
        length(p.bare_path) - length(replace(p.bare_path, '/', '')) as segments
    from paths as p
    left join catalog_names as n on n.recorded_name = p.event_name
),
templated as (
    select
        n.*,
        case
            when t.recorded_name is null then null
            when n.bare_path like t.first_template.pattern escape '\' then t.first_template
            when t.templates is not null
            then list_filter(t.templates, lambda x: n.bare_path like x.pattern escape '\')[1]
        end as template
    from named as n
    left join template_lookup as t
        on t.recorded_name = n.event_name
        and t.verb = upper(n.verb)
        and t.segments = least(n.segments, n.max_segments)
)
select
    m.*,
    e.entry_id,
    case
        when e.entry_id is null then 'unknown_event'
        when m.is_alias then 'alias'
        when e.operation_not_shown then 'operation_not_shown'
        when m.template is not null then 'documented_operation'
        when e.trigger is not null then 'non_http_trigger'
        else 'undocumented_operation'
    end as catalog_match
from templated as m
left join catalog_entries as e on e.entry_id = coalesce(m.template.entry_id, m.name_entry_id);
