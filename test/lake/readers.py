# readers.py PLACE TABLE=VERSION...: what two readers, which know nothing of auditlake, find in the tables of a lake:
# rows of each at its version, rows of each now, and a text of all event keys. Of s3:// with the keys in the environment.
import json, os, pathlib, sys
import deltalake, duckdb, duckdb_extension_delta

place, tables = sys.argv[1], dict(pair.split("=") for pair in sys.argv[2:])
options = {}
connection = duckdb.connect(config={"allow_unsigned_extensions": True})
home = pathlib.Path(duckdb_extension_delta.__file__).parent
for extension in home.rglob("*.duckdb_extension"):
    connection.execute(f"load '{extension}'")
if place.startswith("s3://"):
    endpoint, key, secret = (os.environ[name] for name in ("S3_ENDPOINT", "S3_KEY", "S3_SECRET"))
    options = {"AWS_ENDPOINT_URL": endpoint, "AWS_ACCESS_KEY_ID": key, "AWS_SECRET_ACCESS_KEY": secret,
               "AWS_REGION": "us-east-1", "AWS_ALLOW_HTTP": "true"}

found = {}
for table, version in tables.items():
    delta = deltalake.DeltaTable(f"{place}/{table}", version=int(version), storage_options=options)
    rows = sum(delta.get_add_actions(flatten=True)["num_records"].to_pylist())
    found[table] = {"delta_rs": rows, "files": len(delta.file_uris())}
    if not options:
        scan = f"delta_scan('{place}/{table}')"
        found[table]["duckdb"] = connection.execute(f"select count(*) from {scan}").fetchone()[0]
        if table == "event_rows":
            sums = "count(distinct event_key), min(event_time)::varchar, max(event_time)::varchar, sum(length(query_text))"
            found[table]["events"] = [str(x) for x in connection.execute(f"select {sums} from {scan}").fetchone()]
print(json.dumps(found))
