-- The days with events that are to be matched again, and how many there are of them.
select cast(e.event_date as varchar) as event_date, count(*) as events
from event_rows as e
inner join rematch_due as d on d.recorded_name = e.event_name
where d.next_date is null or e.event_date >= d.next_date
group by e.event_date
order by e.event_date;
