-- Valid at the moment `on`.
(valid_from is null or valid_from <= cast($on as timestamp)) and (valid_to is null or valid_to > cast($on as timestamp))
