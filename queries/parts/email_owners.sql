-- The user id of an e-mail; of several users with one e-mail, the newest.
email_owners as (
    select source, email, max(user_id) as user_id
    from owners
    group by source, email
),
