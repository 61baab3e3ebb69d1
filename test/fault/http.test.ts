import { expect, test } from "vitest";
import { httpFigure } from "./http.ts";

test(
  "a window over a damaged line is read completely or refused, within the time limit",
  { timeout: 300_000 },
  async () => {
    const { done, failures, note } = await httpFigure.run(httpFigure.short, 1, () => undefined);
    expect(failures).toEqual([]);
    expect(done).toBe(httpFigure.short);
    // Both outcomes occur; otherwise the connections are too good or too bad to show anything.
    const [whole, refused] = (note?.match(/\d+/g) ?? []).map(Number);
    expect(whole).toBeGreaterThan(httpFigure.short / 3);
    expect(refused).toBeGreaterThan(0);
  },
);
