import { expect, test } from "vitest";
import { newRunningJobs } from "../../../../pipeline/outgoing/schedule/run-loop.ts";
import type { Job } from "../../../../pipeline/outgoing/schedule/job.ts";

const job = (name: string): Job => ({ name, argv: ["report"] }) as unknown as Job;

test.each([0, 1, 2, 3])(
  "of %i jobs whose process failed the first one's error ends the schedule, regardless of the others",
  async (broken) => {
    const under = newRunningJobs();
    under.start(job("well"), () => Promise.resolve());
    for (let i = 0; i < broken; i++)
      under.start(job(`broken ${i}`), () => Promise.reject(new Error(`no memory ${i}`)));
    expect(under.check).not.toThrow();
    await under.ended();
    if (broken === 0) expect(under.check).not.toThrow();
    else expect(under.check).toThrow("no memory 0");
    expect([under.count(), under.isRunning(job("well"))]).toEqual([0, false]);
  },
);
