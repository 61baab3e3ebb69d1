import { describe, expect, it } from "vitest";
import type { MessagingOptions } from "../../../../../../fixtures/destinations/messaging.ts";
import type { Row } from "../../../../../../pipeline/base/rows/row.ts";
import { listRows } from "../../../../outgoing/targets/rows.ts";
import { newSetting, number, sends, template } from "../setting.ts";

const columns = ["phone_number", "actor", "denials", "team"];
const row: Row = [number(1), "ana", 3n, "red"];

async function failure(
  more: object,
  names = columns,
  options: MessagingOptions = {},
): Promise<string> {
  await using setting = await newSetting(options);
  const failed = setting.deliver(listRows(names, [row]), { ...template, ...more });
  const text = await failed.then(String, (error: Error & { exitCode?: number }) => {
    expect(error.exitCode).toBe(2);
    return error.message;
  });
  expect(setting.service.calls.filter(sends)).toEqual([]);
  return text;
}

describe("seed 002, Errors, rule 4: errors before the first message", () => {
  it("are reported for a header variable that is missing in the query", async () => {
    expect(await failure({ header_variable: "squad" })).toBe(
      "header_variable: the result has no column squad; it has phone_number, actor, denials, team; nothing was sent",
    );
  });

  it("are reported for a header variable that the template does not define", async () => {
    const plain = { name: "denied", language: "en", body: "{{1}} was denied {{2}} times" };
    expect(await failure({}, columns, { account: { templates: [plain] } })).toMatch(
      /^header_variable: template denied defines no header variable/,
    );
  });

  it("are reported for a header variable of the template that is missing in the configuration", async () => {
    expect(await failure({ header_variable: undefined })).toMatch(
      /^header_variable: template denied defines a header variable/,
    );
  });

  it("are reported for body variables that are missing in the query", async () => {
    expect(await failure({ body_variables: "actor,count" })).toMatch(
      /^body_variables: the result has no column count; it has /,
    );
  });

  it.each(["actor", "actor,denials,team", ""])(
    "are reported for a wrong number of body variables: %j",
    async (given) => {
      expect(await failure({ body_variables: given })).toMatch(
        /^body_variables: found \d; expected 2, as many as template denied defines; nothing was sent$/,
      );
    },
  );

  it("are reported for a result without the column phone_number", async () => {
    expect(await failure({}, ["phone", "actor", "denials", "team"])).toMatch(
      /^phone number column: the result has no column phone_number; it has phone, /,
    );
  });
});

describe("the template", () => {
  it("is searched by language_code; another language is an error", async () => {
    expect(await failure({ language_code: "nb" })).toMatch(
      /^language_code: template denied does not exist in nb; it exists in en/,
    );
  });

  it("has to exist", async () => {
    expect(await failure({ template_name: "denie" })).toMatch(
      /^template_name: account 5001 has no template denie/,
    );
  });

  it("has to be approved", async () => {
    const paused = { name: "denied", language: "en", status: "PAUSED", body: "{{1}} {{2}}" };
    expect(await failure({}, columns, { account: { templates: [paused] } })).toMatch(
      /has status PAUSED; expected an approved one/,
    );
  });

  it("seed 002, B, rule 2: has only text", async () => {
    const image = {
      name: "denied",
      language: "en",
      header: "x",
      headerFormat: "IMAGE",
      body: "{{1}}",
    };
    expect(await failure({}, columns, { account: { templates: [image] } })).toMatch(
      /has a header of IMAGE; expected a text header/,
    );
  });

  it.each([{ account_id: undefined }, { templates_path: null }])(
    "is not compared with %j, which is reported, and the service rejects a wrong number of variables",
    async (more) => {
      await using setting = await newSetting();
      const failed = setting.deliver(listRows(columns, [row, [number(2), "bo", 1, "red"]]), {
        ...template,
        ...more,
        body_variables: "actor",
      });
      await expect(failed).rejects.toThrow(/code 132000; nothing was sent/);
      expect(setting.printed[0]).toMatch(
        /variables of template denied are not compared before sending/,
      );
      expect(setting.service.calls.filter(sends)).toHaveLength(1);
      expect(setting.reached()).toEqual([]);
    },
  );

  it("that cannot be read causes a warning, and messages are sent", async () => {
    await using setting = await newSetting();
    setting.service.fault(({ url }) =>
      url.pathname.endsWith("message_templates") ? { status: 404 } : undefined,
    );
    await setting.deliver(listRows(columns, [row]), template);
    expect(setting.printed[0]).toMatch(/^warning: .* not compared before sending: .*answered 404/);
    expect(setting.reached()).toEqual([number(1)]);
  });
});

describe("seed 002, B, rule 1: the rows", () => {
  it("invalid numbers are reported and skipped, and every valid number gets one message", async () => {
    await using setting = await newSetting();
    const cells = [
      number(1),
      null,
      "nobody",
      "0631 555",
      "+1 6315550002",
      "631-555-5555",
      "+1.631.555.0001",
      "+0123456789",
    ];
    const delivery = await setting.deliver(
      listRows(
        ["phone_number"],
        cells.map((cell) => [cell]),
      ),
    );
    expect(setting.reached()).toEqual([number(1), number(2)]);
    expect(delivery).toMatchObject({ accepted: 2, refused: 5, outcome: "partial" });
    expect(setting.printed).toEqual([
      "warning: skipped 5 rows with no valid phone number with its country code: 2, 3, 4, 6, 8",
      "1 row with the same number and message as an earlier one, sent once: 7",
    ]);
  });

  it("default_country sets the country of numbers without +", async () => {
    await using setting = await newSetting();
    const rows = listRows(["phone_number"], [["631-555-0001"], [16315550002n], ["+47 22123456"]]);
    await setting.deliver(rows, { default_country: "1" });
    expect(setting.reached()).toEqual([number(1), number(2), "+4722123456"]);
  });

  it("equal messages to a number are sent once, and different ones are all sent", async () => {
    await using setting = await newSetting();
    const rows = listRows(columns, [row, [number(1), "ana", 4, "red"], row]);
    expect(await setting.deliver(rows, template)).toMatchObject({
      accepted: 2,
      refused: 0,
      outcome: "delivered",
    });
    expect(setting.reached()).toEqual([number(1), number(1)]);
    expect(setting.printed).toEqual([
      "1 row with the same number and message as an earlier one, sent once: 3",
    ]);
  });

  it("a row without a value for a variable is skipped", async () => {
    await using setting = await newSetting();
    const rows = listRows(columns, [row, [number(2), null, 3, "red"], [number(3), "cy", 1, " "]]);
    expect(await setting.deliver(rows, template)).toMatchObject({ accepted: 1, refused: 2 });
    expect(setting.printed).toEqual([
      "warning: skipped 2 rows with no value for a variable of the template: 2, 3",
    ]);
  });

  it("a column without a single number is an error before the first message", async () => {
    await using setting = await newSetting();
    const failed = setting.deliver(listRows(["phone_number"], [["ana@x.example"], ["bo"]]));
    await expect(failed).rejects.toThrow(/none of the 2 rows has a phone number/);
    expect(setting.service.calls).toEqual([]);
  });
});
