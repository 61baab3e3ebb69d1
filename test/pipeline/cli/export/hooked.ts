import { readFileSync } from "node:fs";
import { join } from "node:path";
import { newSetting, type Setting } from "./setting.ts";

/** A setting whose webhook gets one row a request, from a report that gives these. */
export async function newHooked(
  ...names: string[]
): Promise<Setting & { give: (...n: string[]) => void }> {
  const setting = await newSetting();
  const path = join(setting.home.folder, "auditlake.json");
  const config = JSON.parse(readFileSync(path, "utf8")) as { targets: { hook: object } };
  const { url, secret, type, authentication } = config.targets.hook as Record<string, string>;
  const hook = { type, url, secret, authentication, records_per_batch: 1 };
  setting.home.write(
    "auditlake.json",
    JSON.stringify({ ...config, targets: { ...config.targets, hook } }),
  );
  const give = (...given: string[]): void => {
    const values = given.map((name) => `('${name}')`).join(", ");
    const sql = `select name from (values ${values}) as people (name) order by name`;
    setting.home.write("queries/rows.sql", `-- title: Rows\n-- grain: one row\n${sql}\n`);
  };
  give(...names);
  return { ...setting, give };
}
