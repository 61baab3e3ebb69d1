import { beforeAll, expect, it } from "vitest";
import { newRandom } from "../../../fixtures/random.ts";
import { dayMs } from "../../support/remote.ts";
import { fewOrAll } from "../length.ts";
import { type Ask, type Body, day, type Event, openDesk, buildPaging } from "./desk.ts";

// Services that drop the last page of each answer if it is not full. They show only full pages, which two reads have
// alike if both parts of the second end at a page. Some include the end of a range.

const styles = ["page", "offset", "cursor"] as const;

type Dropper = {
  readonly style: (typeof styles)[number];
  readonly size: number;
  readonly log: readonly Event[];
  readonly isNewestFirst: boolean;
  readonly isEndIncluded: boolean;
};

function makeDropper(seed: number): Dropper {
  const random = newRandom(seed, "last page");
  const size = random.int(4, 12);
  const count = random.int(1, 6) * size + random.int(1, size - 1);
  const log = Array.from({ length: count }, (_, i) => ({
    time: Math.floor((day + ((i + 0.5) * dayMs) / count) / 1000),
    id: `e${i}`,
    event_name: "job_kill",
  }));
  return {
    style: styles[seed % styles.length]!,
    size,
    log,
    isNewestFirst: random.chance(0.5),
    isEndIncluded: random.chance(0.5),
  };
}

function answer(service: Dropper, { from, to, page }: Ask, drops: boolean): Body {
  const { style, size, log, isNewestFirst, isEndIncluded } = service;
  const inside = log.filter(
    ({ time }) => time >= from && (time < to || (isEndIncluded && time === to)),
  );
  const all = isNewestFirst ? inside.toReversed() : inside;
  const shown = drops && all.length > size ? all.slice(0, all.length - (all.length % size)) : all;
  const given = Number(page ?? (style === "page" ? 1 : 0));
  const place = style === "page" ? (given - 1) * size : given;
  const audits = shown.slice(place, place + size);
  if (style !== "cursor") return { audits };
  const after = place + size;
  return { audits, next: after < shown.length ? String(after) : null };
}

const droppers = Array.from({ length: fewOrAll(6, 300) }, (_, i) => makeDropper(9001 + i));
const states: string[][] = [];

beforeAll(async () => {
  let drops = true;
  await using desk = await openDesk(
    droppers.map((one) => ({
      audits: buildPaging(one.style, one.size),
      serve: (ask) => answer(one, ask, drops),
    })),
  );
  for (let run = 0; run < 4; run++) {
    drops = run < 2;
    await desk.read();
    states.push(await desk.states());
  }
}, 1_200_000);

it("no window is finalized while its last page is dropped, in each part of it", () => {
  expect(states[1]!.filter((state) => !state.startsWith("closed "))).toEqual([]);
});

it("all windows are finalized once the source returns everything", () => {
  expect(states.at(-1)!.filter((state) => !state.startsWith("finalized"))).toEqual([]);
});
