import { describe, expect, it } from "vitest";
import { configSchema } from "../../../../../schemas/config.ts";
import { readFindings, listNames, readAll } from "./found.ts";
import { canPage, makePlan, shapes, styles, type Plan } from "./plans.ts";
import { play, type Body, type Misbehavior, type Played } from "./service.ts";

// More with DISCOVERY_SEEDS: each kind of service is drawn again from each of the seeds.
const seeds = Number(process.env["DISCOVERY_SEEDS"] ?? 2);

const kinds = styles.flatMap((style) =>
  shapes.filter((shape) => canPage(style, shape)).map((shape) => ({ style, shape })),
);

async function isReadWhole(service: Played, plan: Plan, written?: object): Promise<boolean> {
  const found = await readFindings(service.url, written);
  const { rows, ...kind } = plan;
  const label = JSON.stringify({ ...kind, rows: rows.length, ...found, asked: service.asked });
  expect(service.requests(), label).toBeLessThanOrEqual(20);
  expect(service.requests(), label).toBe(found.requests);
  expect(
    service.asked.every((line) => line.startsWith("GET ")),
    label,
  ).toBe(true);
  if (found.audits === undefined) {
    expect(found.text, label).not.toBe("");
    return false;
  }
  // The report is true, regardless of what else was not found out.
  expect(await readAll(service.url, found.audits, plan), label).toEqual(listNames(rows));
  return true;
}

describe("the discovered settings read any service completely", () => {
  it.each(kinds)("$style, $shape", async (kind) => {
    // Their logs are long.
    const count = kind.style === "none" ? Math.ceil(seeds / 3) : seeds;
    for (let seed = 1; seed <= count; seed++) {
      const plan = makePlan(seed, kind);
      await using service = await play(plan);
      expect([seed, await isReadWhole(service, plan)]).toEqual([seed, true]);
    }
  });
});

const usual: Partial<Plan> = {
  window: { from: "start", to: "end", isIso: false, isClosed: false },
  sizeParam: "limit",
};

describe("a partial discovery is reported correctly", () => {
  const harder: Readonly<Record<string, Partial<Plan>>> = {
    "no window is taken": { window: undefined, needsWindow: false },
    "unknown parameters are refused": { ...usual, isStrict: true, needsWindow: false },
    "the same, and a window is needed": { ...usual, isStrict: true, needsWindow: true },
    "no size is taken": { sizeParam: undefined },
    "pages are short": { pageCap: 7, defaultSize: 7 },
  };
  it.each(Object.keys(harder))("%s", async (name) => {
    let correct = 0;
    for (const style of styles)
      for (let seed = 1; seed <= 2; seed++) {
        const plan = makePlan(seed, { style, ...harder[name]! });
        await using service = await play(plan);
        if (await isReadWhole(service, plan)) correct++;
      }
    expect(correct).toBeGreaterThan(0);
  });

  it("a log too short for a result is reported as such", async () => {
    for (const style of styles) {
      const plan = makePlan(3, { style, needsWindow: false });
      await using service = await play({ ...plan, rows: plan.rows.slice(0, 2) });
      const found = await readFindings(service.url);
      expect(found).toMatchObject({ audits: undefined, hasTooLittle: true });
    }
  });
});

describe("a misbehaving source never passes as completely read", () => {
  const misbehaviors: Readonly<Record<string, () => Misbehavior>> = {
    "some records are missing, others each time": () => withGaps(),
    "every page is the first one": () => stuck(),
    "the last record of each page is missing": () => shorten(),
    "a cursor leads nowhere now and then": () => forgetful(),
  };
  it.each(Object.keys(misbehaviors))("%s", async (name) => {
    for (const style of styles.filter((each) => each !== "none"))
      for (let seed = 1; seed <= 2; seed++) {
        const isByCursor = style !== "page" && style !== "offset";
        if (name.startsWith("a cursor") && !isByCursor) continue;
        await using service = await play(makePlan(seed, { style }), misbehaviors[name]!());
        const found = await readFindings(service.url);
        expect({ style, seed, audits: found.audits }).toMatchObject({ audits: undefined });
        expect(service.requests()).toBeLessThanOrEqual(20);
      }
  });
});

function withGaps(): Misbehavior {
  let turn = 0;
  return ({ rows, next }) => ({ rows: rows.filter(() => (turn += 1) % 11 !== 0), next });
}

function stuck(): Misbehavior {
  const firsts = new Map<string, Body>();
  return (body, asked) => {
    const isPosition =
      /page|offset|skip|start_?[iI]|start_at|startAt|tok|cursor|marker|Token|^after$|^p$|k7/;
    const window = [...asked].filter(([key]) => !isPosition.test(key) || /size/i.test(key)).join();
    if (!firsts.has(window)) firsts.set(window, body);
    return firsts.get(window)!;
  };
}

function shorten(): Misbehavior {
  return ({ rows, next }) => ({ rows: rows.slice(0, -1), next });
}

function forgetful(): Misbehavior {
  return ({ rows, next }, _asked, count) => ({ rows, next: count % 3 === 0 ? null : next });
}

describe("the test of a configuration", () => {
  it("confirms one that reads completely, with names that cannot be guessed", async () => {
    const plan = makePlan(4, {
      style: "page",
      shape: "envelope",
      param: "blatt",
      sizeParam: "stueck",
    });
    const window = { from: "anfang", to: "ende", isIso: true, isClosed: false };
    await using service = await play({ ...plan, window, needsWindow: false, firstPage: 0 });
    const paging = { style: "page", param: "blatt", size_param: "stueck", first: 0 };
    const written = { window_params: { from: "anfang", to: "ende", form: "iso8601" }, paging };
    const found = await readFindings(service.url, written);
    expect(found.inForce).toMatchObject({ is: "whole" });
    const { audits } = configSchema.parse({ sources: { a: { audits: written } } }).sources["a"]!;
    expect(found.audits).toEqual(audits);
  });

  it("reports one that ends after the first page, beside the right one", async () => {
    const plan = makePlan(5, { style: "cursor", shape: "envelope", needsWindow: false });
    const { from, to, isIso } = plan.window!;
    await using service = await play(plan);
    const window_params = { from, to, form: isIso ? "iso8601" : "epoch_seconds" };
    const paging = {
      style: "cursor",
      param: plan.param,
      size_param: plan.sizeParam,
      next_at: "no",
    };
    const found = await readFindings(service.url, { window_params, paging });
    expect(found.inForce).toMatchObject({
      is: "wrong",
      why: expect.stringMatching(/reads \d+ records instead/),
    });
    expect(found.audits?.paging.next_at).toBe(plan.nextAt.join("."));
  });

  it("finds an accepted size of pages, of any value, which is then retained", async () => {
    for (const size of [1, 5, 40]) {
      const plan = makePlan(5, { style: "cursor", shape: "envelope", needsWindow: false });
      await using service = await play({ ...plan, pageCap: 50 });
      const { audits } = await readFindings(service.url, { paging: { size } });
      expect(audits?.paging).toMatchObject({ style: "cursor", size });
    }
  });
});
