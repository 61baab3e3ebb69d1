import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { listRows } from "../../../../outgoing/targets/rows.ts";
import { newSetting, number, people, sends, template } from "../setting.ts";

describe("seed 002, B, what arrives", () => {
  it("rule 1: the same text at every valid number, one message per row", async () => {
    await using setting = await newSetting();
    const delivery = await setting.deliver(people(3), { preview_url: true });
    expect(delivery).toMatchObject({ accepted: 3, refused: 0, outcome: "delivered" });
    const message = { from: "7001", text: "You were denied.", previewUrl: true };
    expect(setting.service.arrived()).toEqual(
      [1, 2, 3].map((n) => ({ ...message, to: number(n) })),
    );
  });

  it("rule 3: a template with variables from columns and aliases, by position and not by name", async () => {
    await using setting = await newSetting();
    const rows = listRows(
      ["denials", "phone_number", "actor", "team"],
      [
        [3n, "+1 (631) 555-0001", "ana", "red"],
        [12, "0016315550002", "bo", "blue"],
      ],
    );
    await setting.deliver(rows, template);
    expect(setting.service.arrived()).toMatchObject([
      { to: number(1), header: "For red", text: "ana was denied 3 times" },
      { to: number(2), header: "For blue", text: "bo was denied 12 times" },
    ]);
  });

  it("rule 3: the order of body_variables decides", async () => {
    await using setting = await newSetting();
    const rows = listRows(
      ["phone_number", "actor", "denials", "team"],
      [[number(1), "ana", 3, "red"]],
    );
    await setting.deliver(rows, { ...template, body_variables: ["denials", "actor"] });
    expect(setting.service.arrived()[0]?.text).toBe("3 was denied ana times");
  });

  it("variables of a template have no line break, no tab and at most four blanks in a row (seed 12)", async () => {
    const piece = fc.constantFrom(
      "a",
      "b c",
      " ",
      "    ",
      "     ",
      "\t",
      "\n",
      "\r\n",
      "\u2028",
      "\u00a0",
    );
    const text = fc.array(piece, { maxLength: 8 }).map((all) => `x${all.join("")}y`);
    await fc.assert(
      fc.asyncProperty(text, text, async (actor, team) => {
        await using setting = await newSetting();
        const columns = ["phone_number", "actor", "denials", "team"];
        const rows = listRows(columns, [[number(1), actor, 3, team]]);
        const sent = await setting.deliver(rows, template);
        expect(sent).toMatchObject({ accepted: 1, refused: 0 });
        const [{ header = "", text: body } = { text: "" }] = setting.service.arrived();
        const words = (all: string): string => all.replaceAll(/\s/g, "");
        expect(words(header)).toBe(words(`For ${team}`));
        expect(words(body)).toBe(words(`${actor} was denied 3 times`));
      }),
      { seed: 12, numRuns: 30 },
    );
  });

  it("the emulated service refuses a variable that the service would refuse", async () => {
    await using setting = await newSetting();
    for (const value of ["a\nb", "a\tb", "a     b"]) {
      const parameters = [
        { type: "text", text: value },
        { type: "text", text: "3" },
      ];
      const message = {
        messaging_product: "messages",
        recipient_type: "individual",
        to: number(1),
        type: "template",
        template: {
          name: template.template_name,
          language: { code: "en" },
          components: [
            { type: "header", parameters: [{ type: "text", text: "red" }] },
            { type: "body", parameters },
          ],
        },
      };
      const { url, token, version } = setting.service;
      const answer = await fetch(`${url}/${version}/7001/messages`, {
        method: "POST",
        headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
        body: JSON.stringify(message),
      });
      expect(answer.status).toBe(400);
      expect(await answer.text()).toContain("line break");
    }
  });

  it("an empty result sends no request and no message", async () => {
    await using setting = await newSetting();
    const delivery = await setting.deliver(people(0));
    expect(delivery).toMatchObject({ accepted: 0, refused: 0, outcome: "delivered" });
    expect(setting.service.calls).toEqual([]);
  });
});

describe("seed 002, B, send_by", () => {
  const displayed = {
    send_by: "display_phone_number",
    phone_number_id: undefined,
    account_id: "5001",
  };

  it.each(["+16315555551", "1 631 555 5551", "+1 631-555-5551"])(
    "display_phone_number %s is looked up through account_id, without blanks and dashes",
    async (phone_number) => {
      // One number to a page, so that the second page is read as well.
      await using setting = await newSetting({ pageSize: 1 });
      await setting.deliver(people(1), { ...displayed, phone_number });
      expect(setting.service.arrived()[0]?.from).toBe("7002");
    },
  );

  it("a number that the account does not have is an error before the first message", async () => {
    await using setting = await newSetting();
    const failed = setting.deliver(people(2), { ...displayed, phone_number: "+1 631-555-9999" });
    await expect(failed).rejects.toThrow(
      "phone_number: account 5001 has no number +1 631-555-9999; it has +1 631-555-5550, +1 631-555-5551; nothing was sent",
    );
    expect(setting.service.calls.filter(sends)).toEqual([]);
  });

  it("phone_number_id needs no look-up", async () => {
    await using setting = await newSetting();
    await setting.deliver(people(1));
    expect(setting.service.calls.map(({ method }) => method)).toEqual(["POST"]);
  });
});
