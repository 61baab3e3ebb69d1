import { describe, expect, it } from "vitest";
import { PageError } from "../../../../pipeline/core/records/error.ts";
import { detectFormat } from "../../../../pipeline/core/records/format.ts";
import { countRecords } from "../../../../pipeline/core/records/each.ts";
import { readCpuMs } from "../../../support/cost.ts";

const canary = "CANARY-content";

function count(text: string | Buffer, recordsAt: string | null = null): number {
  return countRecords(Buffer.from(text), "json", recordsAt).records;
}

function refusal(text: string | Buffer, recordsAt: string | null = null): string {
  try {
    count(text, recordsAt);
  } catch (error) {
    expect(error).toBeInstanceOf(PageError);
    expect((error as Error).message).not.toContain(canary);
    return (error as Error).message;
  }
  throw new Error("the page was accepted");
}

describe("a page without records", () => {
  it.each([
    "[]",
    '{"audits":[]}',
    '{"data":{"items":[]}}',
    '{"a":[],"columns":["x"],"error":null}',
    '{"success":true,"code":0,"status":"ok","message":"OK","audits":[]}',
    '{"meta":{"code":200,"time":0.003},"data":{"audits":[]}}',
    '{"audits":[],"paging":{"cursors":[]}}',
    '{"audits":[],"warnings":[]}',
    '{"audits":[],"facets":[{"name":"a","count":3}],"links":[{"rel":"self"}],"errors":[]}',
    '{"data":{"audits":[],"warnings":[{"time":1,"text":"CANARY-content"}]}}',
    ...["error", "errors", "fault", "faults", "failures", "messages", "Warnings"].map(
      (beside) => `{"${beside}":[],"audits":[]}`,
    ),
  ])("is a fault if it is %s", (text) => expect(count(text)).toBe(0));

  it.each([
    "{}",
    '{"message":"CANARY-content"}',
    '{"audits":null}',
    '{"audits":{}}',
    '{"error":"CANARY-content","details":[]}',
    '{"errors":["CANARY-content"],"audits":[]}',
    '{"success":false,"message":"CANARY-content","code":503,"details":[]}',
    '{"code":14,"message":"CANARY-content","details":[]}',
    '{"success":false,"audits":[]}',
    '{"ok":false,"audits":[]}',
    '{"status":500,"details":[]}',
    '{"code":"503","details":[]}',
    '{"status":"error","data":[]}',
    '{"meta":{"code":503},"data":[]}',
    '{"fault":{"text":"CANARY-content","details":[]}}',
    '{"a":{"b":{"audits":[]}}}',
    '{"audits":[],"errors":[{"code":503}]}',
    '{"errors":[{"time":1,"event_name":"CANARY-content"}]}',
    '{"errors":[]}',
    '{"audits":[],"results":[]}',
    '{"audits":[],"results":[{"code":1}]}',
    '{"results":[{"code":503,"text":"CANARY-content"}]}',
    '{"audits":[],"partial":true}',
    '{"audits":[],"meta":{"timed_out":true}}',
    '{"id":"CANARY-content","time":1,"event_name":"a","arguments":[]}',
    '{"event_name":"CANARY-content","arguments":{"list":[]}}',
    '{"record":{"event_name":"CANARY-content","arguments":[]}}',
    '"CANARY-content"',
    "17",
    "null",
  ])("is not a fault if it is %s", (text) => {
    refusal(text);
  });

  it("may have marks of its own if the records' place is configured", () => {
    const body = '{"code":20000,"message":"done","time":1,"audits":[],"warnings":[]}';
    expect(refusal(body)).toContain("records_at");
    expect(count(body, "audits")).toBe(0);
    expect(refusal('{"code":503,"audits":[]}', "audits")).toContain("reports an error");
    expect(refusal('{"error":"CANARY-content","audits":[]}', "audits")).toContain("an error");
    expect(count('{"errors":["a"],"audits":[{"time":1}]}', "audits")).toBe(1);
  });

  it("may have null if the records' place is configured", () => {
    const body = '{"audits":null,"next":"c"}';
    expect(countRecords(Buffer.from(body), "json", "audits").envelope).toEqual(JSON.parse(body));
    expect(count('{"data":{"items": null }}', "data.items")).toBe(0);
    expect(refusal('{"data":null}', "data.items")).toContain("no items");
    for (const bad of [
      '{"error":"CANARY-content","audits":null}',
      '{"code":503,"audits":null}',
      '{"audits":null,"audits":[{"time":1}]}',
      '{"audits":nullx}',
      '{"audits":nul}',
      ...Array.from(body, (_, end) => body.slice(0, end)),
    ])
      refusal(bad, "audits");
  });

  it("is not made of records that are not objects", () => {
    expect(refusal('{"audits":[null,{"time":1}]}')).toContain("no array of records");
    expect(count('{"audits":[null,{"time":1}]}', "audits")).toBe(2);
    expect(count("[null,1,[2]]")).toBe(3);
  });
});

describe("the record array", () => {
  it("is the one that looks like records, regardless of others", () => {
    const beside = ['"links":[{"rel":"self"}]', '"facets":[{"name":"time"}]', '"rows":[{"n":1}]'];
    const own = '"audits":[{"n":1},{"time":1},{"event_name":"a"}]';
    for (const other of beside)
      for (const members of [
        [own, other],
        [other, own],
      ])
        expect(count(`{${members.join(",")}}`)).toBe(3);
    expect(count('{"errors":[{"time":1}],"data":{"audits":[{"time":1},{"time":2}]}}')).toBe(2);
  });

  it("must be named if there are several", () => {
    const body = '{"others":[{"time":3}],"audits":[{"time":1},{"time":2}]}';
    expect(refusal(body)).toContain("records_at");
    expect(count(body, "audits")).toBe(2);
  });

  it("must be at the configured place", () => {
    expect(refusal('{"audits":[]}', "events")).toContain("no events");
    expect(refusal('{"data":{"x":1}}', "data.items")).toContain("no items");
    expect(refusal('{"audits":{}}', "audits")).toContain("not an array");
    expect(count('[{"time":1}]', "data.items")).toBe(1);
  });

  it("must not occur twice", () => {
    refusal('{"audits":[{"time":1}],"audits":[{"time":2}]}');
    refusal('{"audits":[{"time":1}],"audits":[{"time":2}]}', "audits");
    refusal('{"audits":[],"audits":[{"time":2}]}', "audits");
  });

  it("may have a key written with escapes", () => {
    expect(count('{"\\u0061udits":[{"time":1}]}', "audits")).toBe(1);
  });
});

describe("invalid JSON around the records", () => {
  it.each([
    '[{"a":1},,{"b":2}]',
    '[,{"a":1}]',
    '[{"a":1},]',
    '[{"a":1} {"b":2}]',
    '[{"a":1}]]',
    '[{"a":1}][{"b":2}]',
    '[{"a":1}] CANARY-content',
    '{"audits":[{"a":1}]}}',
    '{"audits":[{"a":1}] "next":1}',
    '{"audits" [{"a":1}]}',
    '{"audits":[{"a":1}],}',
    "{'audits':[]}",
    '{"audits":[{"a":1}],"next":tru}',
  ])("refuses %s", (text) => {
    refusal(text);
    refusal(text.replaceAll("a", "CANARY-content"));
  });

  it("refuses an envelope that is not UTF-8, and keeps a record that is not", () => {
    const latin1 = (text: string): Buffer => Buffer.from(text, "latin1");
    expect(refusal(latin1('{"next":"caf\u00e9","audits":[{"a":1}]}'))).toContain("UTF-8");
    expect(count(latin1('{"audits":[{"time":"caf\u00e9"},{"time":1}]}'))).toBe(2);
  });

  it("keeps the digits of a big cursor", () => {
    const body = Buffer.from('{"audits":[],"next":12345678901234567890,"n":9007199254740991}');
    expect(countRecords(body, "json", null).envelope).toEqual({
      audits: [],
      next: "12345678901234567890",
      n: 9007199254740991,
    });
  });
});

it("takes time in proportion to the page, with any content", async () => {
  const million = 1_000_000;
  const pages = [
    "[".repeat(million),
    `[${'{"a":['.repeat(million / 5)}`,
    `${'{"a":'.repeat(million / 5)}`,
    `[${"{},".repeat(million)}{}]`,
    `{"time":1}\n${"\n".repeat(2 * million)}`,
    `{"time":1}\n${'{"a":["\n'.repeat(million / 4)}`,
    `[${'"\\'.repeat(million)}`,
  ];
  const countAll = (): void => {
    for (const page of pages) {
      const bytes = Buffer.from(page);
      try {
        countRecords(bytes, detectFormat(bytes), null);
      } catch (error) {
        expect(error).toBeInstanceOf(PageError);
      }
    }
  };
  expect(await readCpuMs(countAll)).toBeLessThan(5000);
});
