-- The risk of a person: the highest of their ids and e-mails.
with
-- part: person_keys
mine as (
    select r.risk, r.reasons, r.actor
    from risk_by_actor as r
    inner join ids as i on i.source = r.source and i.user_id = r.user_id
    union all
    select r.risk, r.reasons, r.actor
    from risk_by_actor as r
    inner join emails as m on m.source = r.source and m.email = lower(r.actor)
    where r.user_id is null
)
select risk, reasons
from mine
order by risk desc, actor, reasons
limit 1;
