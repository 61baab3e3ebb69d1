import { describe, expect, it } from "vitest";
import { answer, failure, raw, type Script } from "./raw-service.ts";
import { body, counts, list, newPaged, queries, read, type Settings } from "./window-reader.ts";

// Which statuses mean a range without events, and where a page with one ends the reading.

const none = raw(204, {});
const missing = answer('{"error":"no events"}', {}, 404);
const html = answer("<html>none</html>", { "Content-Type": "text/html" }, 404);

function withEmpty(settings: Settings, ...statuses: number[]): Settings {
  return { ...settings, audits: { ...settings.audits, empty_status: statuses } };
}

const styles = ["page", "offset", "cursor", "next_url", "link_header", "none"];

describe.each(styles)("a range without events in %s style", (style) => {
  it.each<[string, Settings, Script]>([
    ["204", newPaged(style), none],
    ["404, as configured", withEmpty(newPaged(style), 410, 404), missing],
    ["404 with a page of HTML, as configured", withEmpty(newPaged(style), 404), html],
  ])("is %s", async (_name, settings, script) => {
    expect(counts(await read(settings, [script]))).toEqual([0]);
    expect(queries()).toHaveLength(1);
  });
});

describe.each(["page", "offset"])("in %s style", (style) => {
  it.each([
    ["204", none],
    ["404, as configured", missing],
  ])("%s after the last page ends the reading", async (_name, script) => {
    const pages = await read(withEmpty(newPaged(style), 404), [list(2), list(1), script]);
    expect(counts(pages)).toEqual([2, 1, 0]);
  });
});

describe("in cursor style", () => {
  it("204 ends the reading, and 404 is an expired cursor", async () => {
    const settings = withEmpty(newPaged("cursor"), 404);
    const first = body(2, { next_page: "a" });
    expect(counts(await read(settings, [first, none]))).toEqual([2, 0]);
    const error = await failure(read(settings, [first, missing]));
    expect(error.message).toContain("answered 404");
  });
});

it("404 without the setting is reported with its name, on the first page only", async () => {
  const atFirst = await failure(read(newPaged("page"), [missing]));
  expect(atFirst.message).toContain("audits.empty_status to [404]");
  const later = await failure(read(newPaged("page"), [list(2), missing]));
  expect(later.message).not.toContain("empty_status");
});

it.each([200, 204, 302, 401, 403, 408, 425, 429, 500])(
  "%i cannot be configured",
  async (status) => {
    await expect(read(withEmpty(newPaged("page"), status), [none])).rejects.toThrow();
  },
);
