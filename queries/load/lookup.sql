-- The templates of a (recorded name, verb, number of segments) in one row, so that the join stays an equi-join. Nearly
-- every key has a single template, the others carry their list, most specific first.
delete from template_lookup;

insert into template_lookup (recorded_name, verb, segments, first_template, templates)
select
    recorded_name,
    verb,
    segments,
    arg_min({'pattern': pattern, 'operation_id': operation_id, 'entry_id': entry_id}, rank) as first_template,
    case
        when count(*) > 1
        then list({'pattern': pattern, 'operation_id': operation_id, 'entry_id': entry_id} order by rank)
    end as templates
from catalog_templates
group by recorded_name, verb, segments
order by recorded_name, verb, segments;
