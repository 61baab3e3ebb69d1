import { afterEach, describe, expect, it } from "vitest";
import { startService, type Service } from "../../../../fixtures/service.ts";
import { pagingStyles } from "../../../../fixtures/service/paging.ts";
import type { UserList } from "../../../../pipeline/core/records/user-list.ts";
import { readUsers } from "../../../../pipeline/core/source/read-users.ts";
import { configSchema } from "../../../../schemas/config.ts";
import {
  answer,
  content,
  failure,
  key,
  raw,
  rawService,
  newReader,
  type RawService,
  type Reader,
  type Script,
} from "./raw-service.ts";

let service: RawService;
let reader: Reader;
let emulated: Service | undefined;
afterEach(async () => {
  await reader[Symbol.asyncDispose]();
  if (emulated === undefined) await service[Symbol.asyncDispose]();
  await emulated?.close();
  emulated = undefined;
});

const buildSettings = (users: object, limits: object = {}) =>
  configSchema.parse({ sources: { one: { users, limits } } }).sources["one"]!;

async function readList(users: object, ...scripts: Script[]): Promise<UserList> {
  service = await rawService(...scripts);
  reader = newReader(service.url);
  return readUsers(reader.client, buildSettings(users));
}

async function read(...scripts: Script[]): Promise<readonly unknown[]> {
  return (await readList({}, ...scripts)).users;
}

const body = `{"users":[{"id":9007199254740993,"email":"a@example.com","shade":1},{"id":"2"}]}`;
const json = (value: unknown): Script => answer(JSON.stringify(value));

describe("the user list", () => {
  it("is read from an envelope or an array, with all digits of its ids", async () => {
    for (const text of [body, `\ufeff${body.slice(9, -1)}`]) {
      expect(await read(answer(text))).toMatchObject([
        { id: 9007199254740993n, email: "a@example.com", shade: 1 },
        { id: 2n },
      ]);
      expect(service.heads[0]).toMatch(/^GET \/v3\/user\/list\/ HTTP/);
      await reader[Symbol.asyncDispose]();
      await service[Symbol.asyncDispose]();
    }
    expect(await read(answer("[]"))).toEqual([]);
  });

  it("is read from the configured place", async () => {
    const users = { path: "/people", records_at: "data.items" };
    const found = await readList(users, json({ data: { items: [{ id: 1 }] }, users: [] }));
    expect(found).toMatchObject({ users: [{ id: 1n }], against: [] });
    expect(service.heads[0]).toMatch(/^GET \/people HTTP/);
  });

  it("is requested again if it is truncated", async () => {
    const cut = raw(200, { Connection: "close" }, body.slice(0, 40), true);
    const latin1 = answer(Buffer.from('[{"id":1,"name":"caf\u00e9"}]', "latin1"));
    expect(await read(cut, latin1, answer(body))).toHaveLength(2);
    expect(service.heads).toHaveLength(3);
  });

  it.each(['{"message":"CANARY-content"}', '{"users":{}}', '[{"email":"a@example.com"}]', "17"])(
    "that is invalid is refused: %s",
    async (text) => {
      const error = await failure(read(answer(text)));
      expect(error.message).toMatch(
        /GET \/v3\/user\/list\/ is not a user list; expected \{"users"/,
      );
      expect(error.message).not.toContain(content);
      expect(service.heads).toHaveLength(1);
    },
  );
});

describe("the pages of the user list", () => {
  it.each(pagingStyles.flatMap((style) => [0, 1, 6, 7].map((count) => [style, count] as const)))(
    "are all read: %s paging, %i users",
    async (style, count) => {
      const users = Array.from({ length: count }, (_, i) => ({ id: i + 1 }));
      const options = { records: [], users, apiKey: key, now: Date.now };
      emulated = await startService({ ...options, usersPaging: style, usersPageCap: 3 });
      reader = newReader(emulated.url);
      const paging = {
        style,
        next_at: style === "page" || style === "offset" ? null : "next_page",
      };
      const list = await readUsers(reader.client, buildSettings({ paging }));
      expect(list.users.map(({ id }) => Number(id))).toEqual(users.map(({ id }) => id));
      expect(list.against).toEqual([]);
      if (style !== "none") expect(emulated.requests.users).toBeGreaterThanOrEqual(count / 3);
    },
  );

  it("that are not requested contradict the list", async () => {
    for (const style of ["cursor", "next_url", "link_header", "page", "offset"] as const) {
      const users = Array.from({ length: 5 }, (_, i) => ({ id: i + 1 }));
      const options = { records: [], users, apiKey: key, now: Date.now };
      emulated = await startService({ ...options, usersPaging: style, usersPageCap: 3 });
      reader = newReader(emulated.url);
      expect(await readUsers(reader.client, buildSettings({})), style).toMatchObject({
        users: { length: 3 },
        against: ["next"],
      });
      await reader[Symbol.asyncDispose]();
      await emulated.close();
    }
  });

  it("that repeat in a loop, or are always the same, are an error", async () => {
    const page = (id: number, next: string): Script => json({ users: [{ id }], next_page: next });
    const cursor = { paging: { style: "cursor" } };
    const round = await failure(readList(cursor, page(1, "a"), page(2, "b"), page(3, "a")));
    expect(round.message).toMatch(/refers to a next page that was already read.*users\.paging$/);
    await reader[Symbol.asyncDispose]();
    await service[Symbol.asyncDispose]();
    const ignored = await failure(readList({ paging: { style: "page" } }, answer(body)));
    expect(ignored.message).toMatch(/same page of the user list twice.*users\.paging$/);
  });
});

const one = { users: [{ id: 1 }] };
const faults: readonly (readonly [string, object])[] = [
  ["error", { ...one, error: "cannot list" }],
  ["error", { users: [], error: { text: "cannot list" } }],
  ["errors", { ...one, errors: ["cannot list"] }],
  ["fault", { ...one, fault: 1 }],
  ["faults", { ...one, meta: { faults: ["x"] } }],
  ["success", { ...one, success: false }],
  ["ok", { ...one, ok: false }],
  ["partial", { ...one, partial: true }],
  ["incomplete", { ...one, incomplete: true }],
  ["truncated", { ...one, meta: { truncated: true } }],
  ["timed_out", { ...one, timed_out: true }],
  ["has_more", { ...one, has_more: true }],
  ["status", { ...one, status: 503 }],
  ["status", { ...one, status: "failed" }],
  ["total", { ...one, total: 2 }],
  ["total", { users: [{ id: 1 }, { id: 1 }], total_count: 2 }],
  ["total", { ...one, paging: { total_records: "2" } }],
  ["total", { ...one, total_results: 2 }],
  ["next", { ...one, next: "/more" }],
  ["next", { ...one, next_page: 2 }],
  ["next", { ...one, next_url: "https://service.example/more" }],
  ["next", { ...one, links: { next_cursor: "c" } }],
  ["next", { ...one, cursor: "c" }],
  ["next", { ...one, next_token: "c" }],
  ["next", { ...one, next_page_token: "c" }],
];

describe("signs that contradict a user list", () => {
  it.each(faults)("are found for %s: %j", async (sign, text) => {
    expect((await readList({}, json(text))).against).toEqual([sign]);
    await reader[Symbol.asyncDispose]();
    await service[Symbol.asyncDispose]();
    expect((await readList({ ignore_signs: [sign] }, json(text))).against).toEqual([]);
  });

  it("are found on any of its pages", async () => {
    const cursor = { paging: { style: "cursor" } };
    const first = json({ ...one, errors: ["half of it"], has_more: true, next_page: "b" });
    const last = json({ users: [{ id: 2 }], next_page: null });
    expect(await readList(cursor, first, last)).toMatchObject({
      users: { length: 2 },
      against: ["errors"],
    });
  });

  it("are not values that report success, or nothing", async () => {
    const quiet = { error: null, errors: [], fault: "", faults: {}, success: true, ok: true };
    const fine = { partial: false, truncated: false, has_more: false, status: "ok", code: 200 };
    const ended = { total: 1, total_count: 0, next: null, next_url: "", links: { next: null } };
    const well = { ...one, ...quiet, ...fine, ...ended };
    expect((await readList({}, json(well))).against).toEqual([]);
  });
});
