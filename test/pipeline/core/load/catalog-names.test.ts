import { expect, it } from "vitest";
import { homeWithWarehouse } from "../../../support/home.ts";

it("another name of a variant represents the event if the path fits no variant", async () => {
  using home = await homeWithWarehouse();
  const extra = home.write(
    "extra.json",
    JSON.stringify({
      area: "Jobs",
      columns: ["id"],
      events: [
        {
          event: "job_kill",
          variant: "by hand",
          aliases: ["kill_it"],
          operations: ["POST /v9/kill/:id"],
        },
      ],
    }),
  );
  const config = home.write("auditlake.json", JSON.stringify({ catalog: { extra } }));
  const record = (name: string, path: string): string =>
    JSON.stringify({
      time: 1767225600,
      event_name: name,
      requested_http_verb: "POST",
      requested_path_info: path,
    });
  const records = [record("kill_it", "/v9/kill/7"), record("kill_it", "/v9/other")];
  const file = home.write("records.ndjson", `${records.join("\n")}\n`);
  expect((await home.run(["--config", config, "import", file])).err).not.toContain("error");
  const columns = "canonical_name, variant, operation, catalog_match";
  expect(await home.rows(`select ${columns} from events order by variant nulls last`)).toEqual([
    {
      canonical_name: "job_kill",
      variant: "by hand",
      operation: "POST /v9/kill/:id",
      catalog_match: "alias",
    },
    { canonical_name: "job_kill", variant: null, operation: null, catalog_match: "alias" },
  ]);
});
