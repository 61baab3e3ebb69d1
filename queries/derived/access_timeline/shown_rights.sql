-- What the snapshots show of the policies that are due, each right once.
create or replace temp table shown_rights as
select
    series_key, permission, valid_from,
    case when count(*) = count(valid_to) then max(valid_to) end as valid_to,
    max(snapshot_id) as snapshot_id
from read_permissions
group by series_key, permission, valid_from;
