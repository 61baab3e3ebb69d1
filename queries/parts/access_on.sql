-- part: valid_on
-- The moment is also compared with the way and the right of its policy, so that nothing else is joined.
and (way_from is null or way_from <= cast($on as timestamp)) and (way_to is null or way_to > cast($on as timestamp))
and (right_from is null or right_from <= cast($on as timestamp)) and (right_to is null or right_to > cast($on as timestamp))
