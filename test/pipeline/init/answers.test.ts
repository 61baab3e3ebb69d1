import { expect, it } from "vitest";
import { answersOf, type InitFlags } from "../../../pipeline/init/answers.ts";
import { testWorld } from "../../support/world.ts";

const flags: InitFlags = {
  name: "prod",
  baseUrl: "https://service.example",
  keyEnv: "KEY",
  retention: "7d",
  runsPerDay: "1",
};

it.each(["0 3 * * *", "@daily"])("--schedule takes %s as it is", async (schedule) => {
  const { runsPerDay: _, ...others } = flags;
  const answers = await answersOf({ ...others, schedule }, undefined, testWorld());
  expect(Object.values(answers)).toContain(schedule);
  const given = answersOf({ ...others, schedule: "often" }, undefined, testWorld());
  await expect(given).rejects.toThrow(/^--schedule/);
});

it.each(["retention", "window"])("the shortest %s is a second", async (flag) => {
  const given = { ...flags, [flag]: "1s" };
  expect(await answersOf(given, undefined, testWorld())).toMatchObject({ [flag]: "1s" });
  for (const none of ["0s", "999ms", "second", ""])
    await expect(answersOf({ ...flags, [flag]: none }, undefined, testWorld())).rejects.toThrow(
      `--${flag}: found "${none}"; expected a duration`,
    );
});
