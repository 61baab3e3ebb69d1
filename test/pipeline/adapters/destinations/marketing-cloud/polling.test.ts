import { expect, it } from "vitest";
import type { DeliveryContext } from "../../../../../pipeline/outgoing/targets/destination.ts";
import { awaitRequest } from "../../../../../pipeline/adapters/destinations/marketing-cloud/asynchronous.ts";
import type { Session } from "../../../../../pipeline/adapters/destinations/marketing-cloud/session.ts";
import { testWorld } from "../../../../support/world.ts";

type Item = { readonly status: string; readonly errorCode?: string | number };
const status = (requestStatus: string, hasErrors?: boolean) => ({
  status: { requestStatus, hasErrors },
});
const ok: Item = { status: "OK" };
const bad = (errorCode?: string | number): Item => ({
  status: "Error",
  ...(errorCode !== undefined && { errorCode }),
});

/** The outcome of a request of some rows, with the requests and the waiting time in seconds. */
async function expectAwaited(rows: number, states: readonly object[], items: readonly Item[] = []) {
  const [asked, waited]: [string[], number[]] = [[], []];
  const rest: Session["rest"] = async (_method, path, { page }) => {
    asked.push(path + (page === undefined ? "" : ` ${page}`));
    const polls = asked.filter((each) => each.endsWith("/status")).length;
    const at = (Number(page) - 1) * 50;
    const body =
      page === undefined
        ? (states[polls - 1] ?? states.at(-1))
        : { count: items.length, items: items.slice(at, at + 50) };
    return Promise.resolve({
      outcome: "answered",
      answer: { status: 200, text: JSON.stringify(body) },
    } as never);
  };
  const sleep = async (ms: number): Promise<void> => void waited.push(ms / 1000);
  const context = { world: testWorld({ sleep }) } as unknown as DeliveryContext;
  const found = await awaitRequest("a/b", rows, { rest } as Session, context).catch(
    ({ message }: Error) => message,
  );
  return { found, asked, waited };
}

const running = status("Executing");
const done = status("Complete", false);

it("a request is polled after a second, then twice as long each time, at most every half minute", async () => {
  const { found, asked, waited } = await expectAwaited(3, [
    ...Array.from({ length: 7 }, () => running),
    done,
  ]);
  expect(found).toEqual({ refused: 0, why: "", positions: [] });
  expect(waited).toEqual([1, 2, 4, 8, 16, 30, 30]);
  expect(new Set(asked)).toEqual(new Set(["/data/v1/async/a%2Fb/status"]));
});

it("polling ends after an hour", async () => {
  const { found, waited } = await expectAwaited(3, [running]);
  expect(found).toBe("request a/b did not finish within 60 minutes");
  const seconds = waited.reduce((sum, each) => sum + each, 0);
  expect([seconds >= 3600, seconds - waited.at(-1)! < 3600]).toEqual([true, true]);
});

it.each([
  [5, 3, { refused: 0, why: "", positions: [] }],
  [6, 3, "the account no longer knows request a/b"],
  [6, 0, { refused: 0, why: "", positions: [] }],
])("%i answers that do not know a request of %i rows give %j", async (unknown, rows, expected) => {
  const { found } = await expectAwaited(rows, [
    ...Array.from({ length: unknown }, () => ({})),
    done,
  ]);
  expect(found).toEqual(expected);
});

const many = Array.from({ length: 49 }, () => ok);

it.each<[what: string, rows: number, state: object, items: Item[], expected: object]>([
  [
    "some were refused",
    3,
    status("Complete", true),
    [ok, bad(10), bad(10)],
    { refused: 2, why: " (error 10)", positions: [1, 2] },
  ],
  [
    "it is not reported whether some were",
    2,
    status("Complete"),
    [bad(), ok],
    { refused: 1, why: " (error unknown)", positions: [0] },
  ],
  ["it failed half way", 3, status("Error"), [ok], { refused: 2, why: "", positions: undefined }],
  [
    "it failed with results of all",
    2,
    status("Error"),
    [ok, bad("x")],
    { refused: 1, why: " (error x)", positions: [1] },
  ],
  [
    "results lie on two pages",
    51,
    status("Complete", true),
    [...many, bad(1), bad(2)],
    { refused: 2, why: " (error 1, 2)", positions: [49, 50] },
  ],
  [
    "there are many codes",
    6,
    status("Complete", true),
    [1, 2, 3, 4, 5, 6].map(bad),
    { refused: 6, why: " (error 1, 2, 3, 4, 5)", positions: [0, 1, 2, 3, 4, 5] },
  ],
])("refused rows are counted if %s", async (_, rows, state, items, expected) => {
  const { found, asked } = await expectAwaited(rows, [state], items);
  expect(found).toEqual(expected);
  expect(asked.length).toBe(1 + Math.ceil(items.length / 50));
});
