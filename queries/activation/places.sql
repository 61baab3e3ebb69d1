-- Where the rows of each class went in the last run that came to its end.
select delta_status, place
from state.places
order by delta_status, place;
