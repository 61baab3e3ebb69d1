import { describe, expect, it } from "vitest";
import { failure, type Script } from "../raw-service.ts";
import { body, counts, list, newPaged, queries, read, startMs } from "../window-reader.ts";

// Pages whose position the service shows by an address, in the body or in a header.

describe("paging by address", () => {
  const next = newPaged("next_url", { next_at: "next" });
  const link = newPaged("link_header");

  it("follows absolute or relative addresses with their own parameters", async () => {
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
  ])("refuses an address at another origin: %s", async (place) => {
    for (const [settings, script] of [
      [next, body(1, { next: place })],
      [link, list(1, { Link: `<${place}>; rel=next` })],
    ] as const) {
      const error = await failure(read(settings, [script]));
      expect(error.message).toContain("sent an address of another origin");
      expect(queries()).toHaveLength(1);
    }
  });

  it("refuses an invalid address", async () => {
    const error = await failure(read(next, [body(1, { next: "http://[" })]));
    expect(error.message).toContain("invalid address");
  });

  it("stops at an address that was seen before, in any spelling", async () => {
    const scripts = ["?at=1", "/v4/audits?at=2", "/v4/x/../audits?at=1"].map((place) =>
      body(1, { next: place }),
    );
    expect((await failure(read(next, scripts))).message).toContain("already read");
  });
});
