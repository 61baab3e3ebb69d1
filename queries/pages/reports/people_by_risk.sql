-- title: People by risk
-- question: Whose findings should be looked at first?
-- grain: one row per person with an open finding of the last 30 days
-- param: on timestamp = now
select actor, risk, reasons as because
from risk_by_actor
where cast($on as timestamp) is not null
order by risk desc, actor, because
