-- name: state
-- What a database was filled by, and what runs before may have left: a row for each value of a fact. As columns of one
-- row they take ten times as long to plan.
select 'migrations' as fact, migration as value
from schema_migrations
union all
select 'matching', rules_version
from catalog_versions
union all
select 'catalog', catalog_version
from catalog_versions
union all
select 'extra', content
from catalog_extra
union all
select 'views', view_version
from view_versions
union all
select 'folding', derived_version
from derived_versions
union all
select 'rematch_due', cast(count(*) as varchar)
from rematch_due
union all
select 'killed_runs', cast(count(*) as varchar)
from ingest_runs
where outcome = 'running'
union all
select 'prunes', cast(count(*) as varchar)
from prunes
union all
select 'zones', concat_ws(' ', case when is_default then 'default' else 'further' end, timezone, rules)
from (select distinct is_default, timezone, rules from timezone_offset_rows) as z
order by fact, value;

-- name: views
select view_version
from view_versions;
