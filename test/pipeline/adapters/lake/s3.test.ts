import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { failureLine } from "../../../support/failure.ts";
import { newHome, type TestHome } from "../../../support/home.ts";
import type { Outcome } from "../../../support/command.ts";
import { type FakeBucket, fakeBucket } from "./fake-bucket.ts";
import { listRecords } from "./scene.ts";

let home: TestHome;
let bucket: FakeBucket;
const secret = "a-secret-of-the-store";

beforeAll(async () => {
  home = newHome();
  await home.load(listRecords(0, "a", 4));
});
beforeEach(async () => {
  bucket = await fakeBucket();
});
afterEach(async () => bucket[Symbol.asyncDispose]());
afterAll(() => home[Symbol.dispose]());

async function publish(lake: object = {}, env: Record<string, string> = {}): Promise<Outcome> {
  const place = { location: "s3://audit/some/folder", endpoint: bucket.url };
  const config = home.write("c.json", JSON.stringify({ lake: { ...place, ...lake } }));
  const keys = { AWS_ACCESS_KEY_ID: "id", AWS_SECRET_ACCESS_KEY: secret, ...env };
  return home.run(["--config", config, "lake", "publish"], { env: keys });
}

describe("an object store", () => {
  it("accepts a publication, even if the answers to commits are lost", async () => {
    bucket.loses = /_delta_log|_publications|\.parquet$|lake\.json/;
    const { code, err } = await publish();
    expect([code, err]).toEqual([0, expect.stringMatching(/^lake: publication 2, /)]);
    expect((await publish()).err).toBe("lake: nothing changed, publication 2\n");
    const logs = [...bucket.files.keys()].filter((name) => name.includes("/event_rows/_delta_log"));
    expect(logs).toEqual(["some/folder/event_rows/_delta_log/00000000000000000000.json"]);
    expect([...bucket.files.keys()].some((name) => name.includes("_probe"))).toBe(false);
  });

  it("that overwrites an existing file is refused before anything is written", async () => {
    bucket.replaces = true;
    const printed = failureLine(await publish(), 1, []);
    expect(printed).toMatch(/does not support conditional writes \(If-None-Match\)/);
    expect([...bucket.files.keys()]).toEqual([]);
  });

  it.each([
    [403, "InvalidAccessKeyId", /403 InvalidAccessKeyId; it does not know the id of the key/],
    [403, "SignatureDoesNotMatch", /the secret does not match the key id/],
    [403, "RequestTimeTooSkewed", /the clock of this machine is wrong: set it/],
    [404, "NoSuchBucket", /404 NoSuchBucket; the bucket does not exist/],
    [400, "AuthorizationHeaderMalformed", /the region differs: correct lake\.region/],
    [501, "NotImplemented", /the store does not support this request/],
    [418, "<script>", /answered 418; check lake\.endpoint/],
  ])(
    "that answers %i %s is reported in one line, without the secret",
    async (status, code, printed) => {
      bucket.refusal = [status, code];
      const outcome = await publish();
      expect(failureLine(outcome, 1, [])).toMatch(printed);
      expect(outcome.err).not.toContain(secret);
      expect(await home.count("select count(*) from events")).toBe(4);
    },
  );

  it.each([
    [
      "another region",
      [400, "AuthorizationHeaderMalformed", {}, "<Region>eu-west-3</Region>"],
      /400 AuthorizationHeaderMalformed; the region differs: correct lake\.region \(it names the region eu-west-3\)/,
    ],
    [
      "a redirect, with the region in a header",
      [301, "PermanentRedirect", { location: "http://x.example/", "x-amz-bucket-region": "r-2" }],
      /301 PermanentRedirect; the bucket is at another endpoint: correct lake\.region and lake\.endpoint \(it names the region r-2\)/,
    ],
    [
      "a redirect without a word",
      [307, "", { location: "http://elsewhere.example/" }],
      /answered 307; the bucket is at another endpoint/,
    ],
    [
      "a clock that is off, with its own",
      [403, "RequestTimeTooSkewed", { date: "Mon, 02 Mar 2026 10:00:00 GMT" }],
      /403 RequestTimeTooSkewed; the clock of this machine is wrong: set it; the clock of the store shows 2026-03-02T10:00:00\.000Z/,
    ],
    ...[200, 404, 405].map(
      (status) =>
        [
          `a web page with ${status}`,
          [status, "", {}, "\n<!doctype html><html>Sign in</html>"],
          new RegExp(`answered ${status} with a web page \\(HTML\\), so no object store answers`),
        ] as const,
    ),
    [
      "a web page by its type",
      [200, "", { "content-type": "text/html; charset=utf-8" }, "Sign in"],
      /answered 200 with a web page/,
    ],
  ] as const)("that answers with %s is reported in one line", async (_, refusal, said) => {
    bucket.refusal = refusal;
    expect(failureLine(await publish(), 1, [secret])).toMatch(said);
    expect([...bucket.files.keys()]).toEqual([]);
    expect(await home.count("select count(*) from events")).toBe(4);
  });

  it("that rejects the key halfway leaves readers the previous state, and a later run resumes", async () => {
    // After the probe and the claim; while files come; while tables are committed.
    for (const patience of [5, 12, 40]) {
      Object.assign(bucket, { refusal: [403, "AccessDenied"], patience });
      expect(failureLine(await publish(), 1, [secret])).toMatch(
        /403 AccessDenied; the key has no permission: grant it/,
      );
    }
    const publication = bucket.files.get("some/folder/lake.json")?.toString() ?? "{}";
    expect((JSON.parse(publication) as { tables?: object }).tables ?? {}).toEqual({});
    bucket.refusal = undefined;
    expect(await publish()).toMatchObject({
      code: 0,
      err: expect.stringMatching(/^lake: publication 2/),
    });
  });

  it("needs an address, a key, and no plain http but on this machine", async () => {
    const fails = async (
      lake: object,
      env: Record<string, string>,
      printed: RegExp,
    ): Promise<void> => expect(failureLine(await publish(lake, env), 2, [])).toMatch(printed);
    await fails({ endpoint: undefined }, {}, /lake\.endpoint: is required with a location s3:/);
    await fails({ endpoint: "http://store.example" }, {}, /lake\.endpoint .* is plain http/);
    await fails({ location: "relative/folder" }, {}, /lake\.location: expected an absolute path/);
    for (const steps of [".", "..", "a/..", "../a", "./a", "a/../b", "../../"])
      for (const above of ["s3://audit", "s3://audit/x", "", "/srv"]) {
        const location = `${above}/${steps}`;
        const endpoint = above.startsWith("s3:") ? bucket.url : undefined;
        await fails({ location, endpoint }, {}, /lake\.location: expected .* without \. or \.\./);
      }
    await fails({}, { AWS_SECRET_ACCESS_KEY: "" }, /AWS_SECRET_ACCESS_KEY is not set/);
    const open = home.write("keys.json", "{}");
    await fails({ credentials_file: open }, {}, /has no keys; expected \{"access_key_id"/);
    expect(bucket.asked).toEqual([]);
  });

  it("reads its keys from a file", async () => {
    const keys = { access_key_id: "id", secret_access_key: secret };
    const file = home.write("keys.json", JSON.stringify(keys));
    const outcome = await publish({ credentials_file: file }, { AWS_ACCESS_KEY_ID: "" });
    expect([outcome.code, outcome.err]).toEqual([0, expect.stringMatching(/^lake: publication 2/)]);
  });
});
