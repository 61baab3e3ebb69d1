import { afterAll, describe, expect, it } from "vitest";
import { newHome } from "../../../support/home.ts";
import { answer, key, rawService, type Script } from "../source/raw-service.ts";

// A service that refuses every window alike is left after a few of them, and its own words are shown.

const home = newHome();
afterAll(() => home[Symbol.dispose]());
const range = ["--from", "2026-01-01", "--to", "2026-02-01"];

async function ingest(script: Script, audits: object = {}) {
  await using service = await rawService(script);
  const config = { sources: { prod: { base_url: service.url, audits } } };
  const file = home.write("auditlake.json", JSON.stringify(config));
  const slept: number[] = [];
  const outcome = await home.run(["--config", file, "ingest", ...range], {
    env: { AUDITLAKE_API_KEY: key },
    sleep: (ms: number) => Promise.resolve(void slept.push(ms)),
  });
  return { ...outcome, requests: service.heads.length, slept };
}

describe("31 windows", () => {
  it("that are all answered 400 end the run", async () => {
    const { code, err, requests, slept } = await ingest(
      answer("unknown parameter from\nmore", {}, 400),
    );
    expect(code).toBe(1);
    expect(err).toMatch(
      /^error: the service answered 400 to GET \/v4\/audits.*; it says: unknown parameter from; \d windows were refused in the same way/m,
    );
    expect(err).toContain("sources.prod;");
    expect(requests).toBeLessThan(20);
    expect(slept).toEqual([]);
  });

  it("whose records are not where records_at says end the run", async () => {
    const body = '{"events":[{"time":1767225600,"event_name":"sign_in"}],"next":null}';
    const { code, err, requests, slept } = await ingest(answer(body), { records_at: "audits" });
    expect(code).toBe(1);
    expect(err).toMatch(
      /the body has no audits, but an array of objects at "events"; correct sources\.prod\.audits\.records_at/,
    );
    expect(requests).toBeLessThan(20);
    expect(slept).toEqual([]);
  });

  it("that are UTF-16 end the run", async () => {
    const body = Buffer.from('{"events":[]}', "utf16le").toString("latin1");
    const { code, err, requests, slept } = await ingest(answer(body));
    expect(code).toBe(1);
    expect(err).toContain("the page is UTF-16; expected UTF-8");
    expect(requests).toBeLessThan(20);
    expect(slept).toEqual([]);
  });

  it("without their records are requested again, once", async () => {
    const body = '{"errors":[{"message":"busy"}]}';
    const { slept } = await ingest(answer(body), { records_at: "audits" });
    expect(slept.length).toBeGreaterThan(0);
  });
});
