import { afterEach, describe, expect, it } from "vitest";
import { configSchema, type SourceConfig } from "../../../schemas/config.ts";
import { readWindow, type AuditPage } from "../../../pipeline/source/audits.ts";
import {
  answer,
  failure,
  rawService,
  readerOf,
  type RawService,
  type Reader,
  type Script,
} from "./raw-service.ts";

// A window is read page by page to its end, in every paging style, and never round in a circle.

const startMs = Date.UTC(2026, 0, 1);
const window = { startMs, endMs: startMs + 86_400_000 };

let service: RawService;
let reader: Reader;
afterEach(async () => {
  await reader[Symbol.asyncDispose]();
  await service[Symbol.asyncDispose]();
});

type Settings = { readonly audits?: object; readonly limits?: object };

function sourceOf({ audits = {}, limits = {} }: Settings): SourceConfig {
  return configSchema.parse({ sources: { a: { audits, limits } } }).sources["a"]!;
}

async function read(
  settings: Settings,
  scripts: readonly Script[],
  over = window,
): Promise<AuditPage[]> {
  service = await rawService(...scripts);
  reader = readerOf(service.url, { maxAttempts: 2 });
  const pages: AuditPage[] = [];
  for await (const page of readWindow(reader.client, sourceOf(settings), over)) pages.push(page);
  return pages;
}

/** The query of each request, in their order. */
function queries(): string[] {
  return service.heads.map((head) => /^GET (\S+)/.exec(head)![1]!.replace("/v4/audits", ""));
}

const paged = (style: string, more: object = {}): Settings => ({
  audits: { window_params: null, paging: { style, size: 2, ...more } },
});
let number = 0;
const records = (count: number): string =>
  JSON.stringify(Array.from({ length: count }, () => ({ time: (number += 1) })));
const list = (count: number, headers: Readonly<Record<string, string>> = {}): Script =>
  answer(records(count), headers);
const body = (count: number, more: object): Script =>
  answer(JSON.stringify({ audits: JSON.parse(records(count)), ...more }));
const counts = (pages: readonly AuditPage[]): number[] => pages.map((page) => page.records);

describe("by page number", () => {
  it("short pages go on, an empty one ends it", async () => {
    const pages = await read(paged("page"), [list(2), list(1), list(2), list(0)]);
    expect(counts(pages)).toEqual([2, 1, 2, 0]);
    expect(queries()).toEqual([1, 2, 3, 4].map((n) => `?page=${n}&per_page=2`));
  });

  it("a next page that is null ends it, one that is absent does not", async () => {
    const scripts = [body(2, { next_page: 2 }), body(2, {}), body(2, { next_page: null })];
    expect(counts(await read(paged("page"), scripts))).toEqual([2, 2, 2]);
  });

  it("may begin at nought, and have other names and no size", async () => {
    await read(paged("page", { first: 0, param: "p", size_param: null }), [list(1), list(0)]);
    expect(queries()).toEqual(["?p=0", "?p=1"]);
  });
});

describe("by offset", () => {
  it("counts the records that came, not those asked for", async () => {
    await read(paged("offset", { param: "offset" }), [list(2), list(1), list(2), list(0)]);
    expect(queries()).toEqual([0, 2, 3, 5].map((n) => `?offset=${n}&per_page=2`));
  });
});

describe("by cursor", () => {
  const cursor = paged("cursor", { param: "after", next_at: "next.after" });

  it("goes on over an empty page and ends without a cursor", async () => {
    const scripts = [
      body(2, { next: { after: "a b&c" } }),
      body(0, { next: { after: 7 } }),
      body(1, { next: { after: "z" } }),
      body(0, { next: { after: null } }),
    ];
    expect(counts(await read(cursor, scripts))).toEqual([2, 0, 1, 0]);
    expect(queries()).toEqual([
      "?per_page=2",
      "?after=a+b%26c&per_page=2",
      "?after=7&per_page=2",
      "?after=z&per_page=2",
    ]);
  });

  it.each([{}, { next: {} }, { next: null }, { next: { after: "" } }])(
    "ends with %j",
    async (more) => {
      expect(counts(await read(cursor, [body(2, more)]))).toEqual([2]);
    },
  );

  it("keeps the digits of a big cursor", async () => {
    const first = answer('{"audits":[],"next":{"after":98765432109876543210}}');
    await read(cursor, [first, body(0, {})]);
    expect(queries()[1]).toBe("?after=98765432109876543210&per_page=2");
  });

  it("may be called like the first position", async () => {
    await read(cursor, [
      body(1, { next: { after: "first" } }),
      body(1, { next: { after: "0" } }),
      body(0, {}),
    ]);
    expect(queries()).toHaveLength(3);
  });

  it("that is no text or number is refused", async () => {
    const error = await failure(read(cursor, [body(1, { next: { after: { a: 1 } } })]));
    expect(error.message).toContain("next.after of the body is neither text nor a number");
  });

  it("does not look into what objects have", async () => {
    const odd = paged("cursor", { next_at: "constructor.name" });
    expect(counts(await read(odd, [body(1, {})]))).toEqual([1]);
  });

  it("seen before stops the window", async () => {
    const scripts = ["a", "b", "a"].map((after) => body(1, { next: { after } }));
    const error = await failure(read(cursor, scripts));
    expect(error.message).toMatch(/page 3 names a next page that was read before.*never end/);
    expect(queries()).toHaveLength(3);
  });
});

describe("by address", () => {
  const next = paged("next_url", { next_at: "next" });
  const link = paged("link_header");

  it("follows addresses, whole or relative, with their own parameters", async () => {
    service = await rawService();
    const scripts: Script[] = [
      body(1, { next: "/v5/audits?at=1&from=9" }),
      body(1, { next: "?at=2" }),
      body(1, { next: "next?at=3" }),
      (socket, head) =>
        body(0, { next: `http://${/host: (\S+)/i.exec(head)![1]}/last#x` })(socket, head),
      body(1, { next: null }),
    ];
    await read({ audits: { paging: { style: "next_url", next_at: "next", size: 2 } } }, scripts);
    expect(queries()).toEqual([
      `?from=${startMs / 1000}&to=${startMs / 1000 + 86_400}&per_page=2`,
      "/v5/audits?at=1&from=9",
      "/v5/audits?at=2",
      "/v5/next?at=3",
      "/last",
    ]);
  });

  it("follows the next link of a header", async () => {
    const scripts = [
      list(1, {
        Link: '</v4/audits?page=0>; rel="prev", </v4/audits?page=2,x>; title="a, b"; rel="last next"',
      }),
      list(1, { link: "<?page=3>;REL=Next" }),
      list(1, { Link: '<?page=1>; rel="first"' }),
    ];
    expect(counts(await read(link, scripts))).toEqual([1, 1, 1]);
    expect(queries().slice(1)).toEqual(["?page=2,x", "?page=3"]);
  });

  it.each([
    "https://evil.example/v4/audits",
    "//evil.example/",
    "http://127.0.0.1:1/",
    "file:///x",
    "ftp://127.0.0.1/",
  ])("at another origin is refused: %s", async (place) => {
    for (const [settings, script] of [
      [next, body(1, { next: place })],
      [link, list(1, { Link: `<${place}>; rel=next` })],
    ] as const) {
      const error = await failure(read(settings, [script]));
      expect(error.message).toContain("points to another origin");
      expect(queries()).toHaveLength(1);
      await reader[Symbol.asyncDispose]();
      await service[Symbol.asyncDispose]();
    }
    await read(next, [body(0, {})]);
  });

  it("that is no address is refused", async () => {
    const error = await failure(read(next, [body(1, { next: "http://[" })]));
    expect(error.message).toContain("no address");
  });

  it("seen before stops the window, however it is written", async () => {
    const scripts = ["?at=1", "/v4/audits?at=2", "/v4/x/../audits?at=1"].map((place) =>
      body(1, { next: place }),
    );
    expect((await failure(read(next, scripts))).message).toContain("read before");
  });
});

describe("a circle", () => {
  it("of one page sent again and again is found", async () => {
    const same = records(2);
    let asked = 0;
    const script: Script = (socket, head) =>
      answer(`{"request":${(asked += 1)},"audits":${same}}`)(socket, head);
    for (const style of ["page", "offset"]) {
      const error = await failure(read(paged(style), [script]));
      expect(error.message).toMatch(
        /sent the same page twice: it seems to ignore (page|offset) paging/,
      );
      expect(queries()).toHaveLength(2);
      await reader[Symbol.asyncDispose]();
      await service[Symbol.asyncDispose]();
    }
    await read(paged("none"), [list(1)]);
  });

  it("of several pages is found", async () => {
    const pages = [records(2), records(2), records(1)].map((text) => answer(text));
    const error = await failure(read(paged("page"), [...pages, ...pages]));
    expect([error.message.includes("same page twice"), queries().length]).toEqual([true, 4]);
  });

  it("without end is cut off", async () => {
    const endless: Script = (socket, head) => list(1)(socket, head);
    const settings = { ...paged("page"), limits: { max_pages: 7 } };
    const error = await failure(read(settings, [endless]));
    expect(error.message).toContain("more than 7 pages");
    expect(queries()).toHaveLength(7);
  });

  it("is none where empty pages are alike", async () => {
    const cursor = paged("cursor", { next_at: "next" });
    const scripts = [1, 2, 3].map((next) => body(0, { next })).concat(body(0, {}));
    expect(counts(await read(cursor, scripts))).toEqual([0, 0, 0, 0]);
  });
});

describe("the window", () => {
  it("is asked for in whole seconds that hold it", async () => {
    const odd = { startMs: startMs + 1, endMs: startMs + 1001 };
    await read({ audits: { paging: { style: "none" } } }, [list(0)], odd);
    expect(queries()).toEqual([`?from=${startMs / 1000}&to=${startMs / 1000 + 2}`]);
  });

  it("may be asked for in ISO 8601, under other names, or not at all", async () => {
    const names = { from: "since", to: "until", form: "iso8601" };
    await read({ audits: { window_params: names, paging: { style: "none" } } }, [list(0)]);
    expect(queries()).toEqual([
      "?since=2026-01-01T00%3A00%3A00.000Z&until=2026-01-02T00%3A00%3A00.000Z",
    ]);
    await reader[Symbol.asyncDispose]();
    await service[Symbol.asyncDispose]();
    await read(
      { audits: { window_params: null, paging: { style: "none" }, path: "/v4/audits?kind=all" } },
      [list(3)],
    );
    expect(queries()).toEqual(["?kind=all"]);
  });

  it("has one page where there is no paging", async () => {
    expect(counts(await read(paged("none"), [body(5, { next_page: 2 })]))).toEqual([5]);
  });

  it("tells the service's clock, also where it has no records", async () => {
    const date = new Date(startMs).toUTCString();
    const pages = await read(paged("none"), [list(0, { Date: date })]);
    expect(pages).toMatchObject([{ records: 0, serverTimeMs: startMs }]);
  });

  it("has its records where the configuration says", async () => {
    const settings = { audits: { records_at: "data.items", paging: { style: "none" } } };
    const text = `{"links":[{"a":1}],"data":{"items":${records(2)}}}`;
    expect(counts(await read(settings, [answer(text)]))).toEqual([2]);
    await reader[Symbol.asyncDispose]();
    await service[Symbol.asyncDispose]();
    const error = await failure(read(settings, [answer('{"data":{}}')]));
    expect(error.message).toContain("the body has no items");
  });

  it("asks again for a page that is not whole, and only for that", async () => {
    const cut = answer(records(2).slice(0, 10));
    expect(counts(await read(paged("page"), [list(2), cut, list(2), list(0)]))).toEqual([2, 2, 0]);
    expect(queries().map((query) => query.slice(0, 7))).toEqual([
      "?page=1",
      "?page=2",
      "?page=2",
      "?page=3",
    ]);
    expect(reader.client.counts).toEqual({ requests: 4, retries: 1 });
  });
});
