import { expect, it } from "vitest";
import { buildDataAnswer } from "../../../../pipeline/adapters/mcp/answers.ts";
import type { Reach } from "../../../../pipeline/base/rows/row.ts";

const columns = ["who"];
const rows = [["ada"], ["eve"]];

type More = { reach?: Reach; unread?: string[]; truncation?: "rows" | "bytes" };

// The program's own words precede the data.
function listParts(more: More, notes?: string[]): { about: unknown; data: unknown } {
  const answer = buildDataAnswer(
    { columns, rows, unread: [], reach: undefined, truncation: undefined, ...more },
    { a: 1 },
    notes,
  );
  const [content] = answer.content;
  const text = content?.type === "text" ? content.text : "";
  const [about = "", data = ""] = text.split(/<\/?data>/);
  return { about: JSON.parse(about.slice(about.indexOf("{"))), data: JSON.parse(data) };
}

const buildAbout = (more: More): unknown => listParts(more).about;

it("an answer has its number of rows, how far the data reaches, and what is cut off", () => {
  expect(buildAbout({})).toEqual({ a: 1, rows: 2 });
  expect(
    buildAbout({ reach: { upToMs: Date.UTC(2026, 2, 1), isEmpty: false, unread: [] } }),
  ).toEqual({
    a: 1,
    rows: 2,
    data_up_to: "2026-03-01T00:00:00Z",
  });
  expect(
    buildAbout({ reach: { upToMs: null, isEmpty: true, unread: [] }, unread: ["nothing of May"] }),
  ).toEqual({
    a: 1,
    rows: 2,
    not_read: ["nothing of May"],
    nothing_loaded: true,
  });
  expect(buildAbout({ truncation: "bytes" })).toMatchObject({ cut_off: expect.any(String) });
});

it.each([[[]], [["ops is policy 81"]], [["ops is policy 81", "ann is person 20"]]])(
  "an answer has the notes on names, %j, only within the data",
  (notes) => {
    expect(listParts({}, notes)).toEqual({
      about: { a: 1, rows: 2 },
      data: { ...(notes.length > 0 && { notes: notes }), columns, rows },
    });
  },
);
