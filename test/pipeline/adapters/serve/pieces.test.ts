import { Hono } from "hono";
import { expect, it } from "vitest";
import { sendPieces, tryParts } from "../../../../pipeline/adapters/serve/pieces.ts";
import { html } from "../../../../pipeline/base/html/markup.ts";

function ask(pieces: readonly (string | Error)[], method = "GET") {
  const seen: string[] = [];
  const all = async function* (): AsyncGenerator<string> {
    try {
      for (const piece of pieces) {
        if (piece instanceof Error) throw piece;
        seen.push(await Promise.resolve(piece));
        yield piece;
      }
    } finally {
      seen.push("over");
    }
  };
  const app = new Hono();
  app.get("/", (c) => sendPieces(c, all()));
  app.onError((error, c) => c.text(error.message, 500));
  return { answer: app.request("/", { method }), seen };
}

it("yields the parts in order, to the end", async () => {
  const { answer, seen } = ask(["a", "b", "c"]);
  expect(await (await answer).text()).toBe("abc");
  expect(seen).toEqual(["a", "b", "c", "over"]);
});

it("fails completely before the first part, and ends at the current position after it", async () => {
  const early = await ask([new Error("early")]).answer;
  expect([early.status, await early.text()]).toEqual([500, "early"]);
  const { answer, seen } = ask(["a", new Error("late")]);
  expect([(await answer).status, await (await answer).text()]).toEqual([200, "a"]);
  expect(seen).toEqual(["a", "over"]);
});

it("requests no further part if they are not read", async () => {
  const head = ask(["a", "b"], "HEAD");
  expect(await (await head.answer).text()).toBe("");
  expect(head.seen).toEqual(["a", "over"]);
  const { answer, seen } = ask(["a", "b", "c", "d", "e"]);
  const reader = (await answer).body!.getReader();
  await reader.read();
  await reader.cancel();
  expect(seen.at(-1)).toBe("over");
  expect(seen).not.toContain("e");
});

it("a part with an unexpected error shows no message of it, and the others follow", async () => {
  const parts: string[] = [];
  const broken = (): Promise<never> => Promise.reject(new Error("secret"));
  const last = (): Promise<ReturnType<typeof html>> => Promise.resolve(html`last`);
  for await (const part of tryParts([broken, last])) parts.push(part);
  expect(parts).toEqual([expect.stringContaining("failed for an unexpected reason"), "last"]);
  expect(parts[0]).not.toContain("secret");
});
