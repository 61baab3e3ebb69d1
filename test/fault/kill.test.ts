import { expect, test } from "vitest";
import { expectFigure } from "./expect-figure.ts";
import { killFigure } from "./kill.ts";
import { startCli } from "./process.ts";

test("kill -9 at random moments", { timeout: 900_000 }, () => expectFigure(killFigure, 1));

test("a process that dies of another signal does not count as killed", async () => {
  const [killed, aborted] = [startCli(["--version"], {}), startCli(["--version"], {})];
  killed.kill();
  process.kill(aborted.pid, "SIGABRT");
  expect((await killed.ended).isKilled).toBe(true);
  const { code, isKilled } = await aborted.ended;
  expect([code, isKilled]).toEqual([null, false]);
});
