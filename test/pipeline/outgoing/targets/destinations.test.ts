import { expect, it } from "vitest";
import { target as targetSchema, type Target } from "../../../../schemas/connectors.ts";
import type { WithName } from "../../../../pipeline/outgoing/targets/destination.ts";
import { getDestination } from "../../../../pipeline/outgoing/registry.ts";
import { listRows } from "./rows.ts";

const findNamed = (given: object): WithName<Target> => ({
  ...targetSchema.parse(given),
  name: "there",
});

const mail = {
  type: "email",
  host: "mail.example.com",
  from: "a@example.com",
  to: "b@example.com",
};
const signedIn = { ...mail, user: "u", password: "CANARY" };
const hook = { type: "webhook", url: "https://soc.example.com/path", secret: "CANARY" };
const saved = { authentication: "kept" };
const chat = { type: "webhook", url: "__SAVED__", body: "text", ...saved };
const messages = {
  type: "messaging_business",
  access_token: "CANARY",
  phone_number_id: "1",
  text_content: "hello",
  base_url: "https://messages.example.com/api",
  version: "v1.0",
  messaging_product: "messages",
};
const template = { ...messages, send_mode: "template", template_name: "note" };
const files = { type: "file", folder: "out", format: "csv" };

it.each([
  [mail, "b@example.com through mail.example.com"],
  [{ ...mail, to: ["b@example.com", "c@example.com"] }, "2 addresses through mail.example.com"],
  [hook, "https://soc.example.com"],
  [chat, "a stored address"],
  [messages, "https://messages.example.com"],
  [files, "out"],
])("the target %j is described without a secret", (given, expected) => {
  const target = findNamed(given);
  expect(getDestination(target).describe(target)).toEqual(expected);
});

const phones = ["+16315550001", "+16315550002", "nobody"];

it.each([
  [mail, 1, "1 row in a message to b@example.com"],
  [
    { ...mail, to: ["b@example.com", "c@example.com"] },
    2,
    "2 rows in a message to b@example.com, c@example.com",
  ],
  [{ ...hook, records_per_batch: 2 }, 2, "2 rows in 1 request to https://soc.example.com"],
  [{ ...hook, records_per_batch: 2 }, 3, "3 rows in 2 requests to https://soc.example.com"],
  [messages, 1, "a text to 1 number"],
  [template, 3, "template note to 2 numbers"],
  [files, 1, "1 row as csv below out"],
  [
    { ...files, folder: process.cwd(), partition_by_day: "day" },
    1,
    "1 row as csv for 1 day below .",
  ],
  [{ ...files, partition_by_day: "day" }, 3, "3 rows as csv for 2 days below out"],
])("a preview of %j and %i rows prints what would be sent", async (given, count, expected) => {
  const target = findNamed(given);
  const days = ["2026-01-01", "2026-01-02T03:04:05Z", "2026-01-02"];
  const rows = phones.slice(0, count).map((phone, i) => [phone, days[i]!]);
  const preview = await getDestination(target).preview(
    target,
    listRows(["phone_number", "day"], rows),
    () => {},
  );
  expect(preview).toBe(expected);
});

it.each([
  [mail, [undefined], false, true],
  [signedIn, ["CANARY"], true, false],
  [{ ...signedIn, password: "__SAVED__", ...saved }, ["__SAVED__"], true, true],
  [{ ...mail, ...saved }, [undefined], true, true],
  [hook, ["CANARY", "/path"], true, false],
  [{ ...hook, url: "https://soc.example.com/" }, ["CANARY", undefined], true, false],
  [{ ...hook, secret: "__SAVED__", ...saved }, ["__SAVED__", "/path"], true, true],
  [chat, [undefined, undefined], true, true],
  [messages, ["CANARY"], true, undefined],
  [files, [], false, undefined],
])(
  "the secrets of %j are known, and whether it needs a sign-in",
  (given, secrets, needs, alone) => {
    const target = findNamed(given);
    const { secrets: of, needsCredentials, canNotifyAlone } = getDestination(target);
    expect([of(target), needsCredentials(target), canNotifyAlone?.(target)]).toEqual([
      secrets,
      needs,
      alone,
    ]);
  },
);

it.each([
  [files, undefined, false],
  [{ ...files, file_name: "now" }, `${process.cwd()}/out/now.csv`, true],
  [{ ...files, file_name: "now", when_empty: "keep" }, `${process.cwd()}/out/now.csv`, false],
  [hook, undefined, undefined],
])(
  "the target %j has a replaced place, and sends an empty result or not",
  (given, place, goesOut) => {
    const target = findNamed(given);
    const { replaces, goesOutEmpty } = getDestination(target);
    expect([replaces?.(target), goesOutEmpty?.(target)]).toEqual([place, goesOut]);
  },
);
