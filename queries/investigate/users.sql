-- Everybody by what they go by; who goes by nothing but an e-mail of the log has no id.
select source, cast(user_id as varchar) as user_id, kind, name
from user_names
order by source, kind, name, user_id;
