import { expect, it } from "vitest";
import { configSchema } from "../../../schemas/config.ts";

function fault(target: object): string {
  const { error } = configSchema.safeParse({ targets: { to: target } });
  const issue = error?.issues[0];
  return issue === undefined ? "" : `${issue.path.slice(2).join(".")}: ${issue.message}`;
}

const file = { type: "file", folder: "out" };
const webhook = { type: "webhook", url: "https://hooks.example/x", secret: "CANARY" };

it("a folder and an address are enough", () => {
  const { targets } = configSchema.parse({ targets: { file, webhook } });
  expect(targets["file"]).toMatchObject({ format: "csv", raw: false });
  expect(targets["webhook"]).toMatchObject({ records_per_batch: 500 });
});

it.each([
  [{ ...file, folder: undefined }, "folder: found nothing; expected a folder"],
  [{ ...file, format: "xls" }, 'format: found "xls"; expected csv, ndjson or parquet'],
  [
    { ...file, file_name: "../up" },
    'file_name: found "../up"; expected letters, digits, dots, dashes and underscores, at most 100, no dot in front',
  ],
  [{ ...file, file_name: ".hidden" }, /^file_name: found/],
  [{ ...file, partition_by_day: "" }, /^partition_by_day: found ""; expected the name of a column/],
  [
    { ...webhook, url: "http://hooks.example/x" },
    "url: has scheme http; expected https (http only to this machine)",
  ],
  [
    { ...webhook, url: "https://me:CANARY@hooks.example/x" },
    /^url: contains a user name or password/,
  ],
  [{ ...webhook, secret: "" }, "secret: is empty; expected the credential, or __SAVED__"],
  [{ ...webhook, secret: "__SAVED__" }, /^secret: is __SAVED__, but .* authentication/],
  [
    { ...webhook, records_per_batch: 0 },
    "records_per_batch: found 0; expected a whole number from 1 to 10000",
  ],
])("%j is refused, naming key, value and rule", (target, expected) => {
  const found = fault(target);
  if (typeof expected === "string") expect(found).toBe(expected);
  else expect(found).toMatch(expected);
  expect(found).not.toContain("CANARY");
});
