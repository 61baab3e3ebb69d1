import { expect, it } from "vitest";
import { exitCode } from "../../../../../pipeline/base/errors.ts";
import {
  answer,
  failure,
  page,
  rawService,
  newReader,
  type Script,
} from "../../../core/source/raw-service.ts";

// Waits that a service asks for under a status that means something else without them.

const nowMs = Date.UTC(2026, 5, 1, 12);
const limited = { "X-RateLimit-Remaining": "0", "X-RateLimit-Reset": `${nowMs / 1000 + 30}` };
const later = { "Retry-After": "30" };

type Came = { readonly outcome: unknown; readonly attempts: number; readonly sleeps: unknown };

async function get(...scripts: readonly Script[]): Promise<Came> {
  await using service = await rawService(...scripts);
  await using reader = newReader(service.url, {}, { now: () => nowMs, random: () => 0 });
  const body = reader.client.get("/v4/audits", {}, (found) => found.body.toString());
  const outcome = await body.catch(() => failure(body));
  return { outcome, attempts: service.heads.length, sleeps: reader.sleeps };
}

const refuse = (status: number, headers: Readonly<Record<string, string>> = {}): Script =>
  answer("{}", headers, status);

it.each([
  ["403 with Retry-After", 403, later],
  ["403 of an exhausted limit", 403, limited],
  ["202 with Retry-After", 202, later],
  ["429 of an exhausted limit", 429, limited],
])("a rate limit is awaited: %s", async (_name, status, headers) => {
  const came = await get(refuse(status, headers), answer(page));
  expect(came).toEqual({ outcome: page, attempts: 2, sleeps: [30_000] });
});

it.each([202, 403])(
  "a rate limit that lasts is a temporary failure, and not one of the key: %i",
  async (status) => {
    const { outcome, attempts } = await get(refuse(status, later));
    expect(attempts).toBe(3);
    expect(outcome).toMatchObject({
      exitCode: exitCode.failed,
      message: expect.stringContaining(
        `answered ${status} to GET /v4/audits and asked to wait 30 s`,
      ) as string,
    });
  },
);

it("an answer without a wait has no rate limit: 202", async () => {
  const { outcome, attempts } = await get(refuse(202), answer(page));
  expect([attempts, outcome]).toMatchObject([1, { exitCode: exitCode.failed }]);
});
