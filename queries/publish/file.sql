-- The name by which a connection knows the file that it opened.
select current_database() as file;
