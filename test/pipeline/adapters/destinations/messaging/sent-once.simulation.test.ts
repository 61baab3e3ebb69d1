import fc from "fast-check";
import { expect, it } from "vitest";
import { newJsonReply, type Fault } from "../../../../../fixtures/destinations/destination.ts";
import { newSetting, people } from "./setting.ts";

it("property: under any faults and repeats, no recipient gets a message twice", async () => {
  const reply = (status: number, code: number): Fault => newJsonReply(status, { error: { code } });
  const lost: readonly (Fault | undefined)[] = ["lose", "reset", "hang", { status: 502 }];
  const refused = [reply(400, 131026), reply(429, 130429), reply(401, 190), reply(400, 368)];
  const fine = [undefined, undefined, undefined];
  const faults = [...fine, ...lost, ...refused];
  const course = fc.array(fc.constantFrom(...faults), { maxLength: 20 });
  await fc.assert(
    fc.asyncProperty(course, fc.integer({ min: 1, max: 6 }), async (given, count) => {
      await using setting = await newSetting();
      const left = [...given];
      const uncertain = new Set<string>();
      setting.service.fault(({ body }) => {
        const fault = left.shift();
        const isServerError = typeof fault === "object" && "status" in fault && fault.status >= 500;
        const isDoubtful = typeof fault === "string" || isServerError;
        if (isDoubtful) uncertain.add((JSON.parse(body) as { to: string }).to);
        return fault;
      });
      const again = { retryRefused: true };
      for (let n = 0; n < 4; n++)
        await setting.deliver(people(count), {}, again).catch(() => undefined);
      setting.service.fault(undefined);
      const { accepted, uncertain: perhaps } = await setting.deliver(people(count), {}, again);
      const reached = setting.reached();
      expect(new Set(reached).size).toBe(reached.length);
      // A recipient who was never in doubt has a message in the end; one in doubt is reported and left alone.
      expect({ accepted, perhaps }).toEqual({
        accepted: count - uncertain.size,
        perhaps: uncertain.size,
      });
      expect(reached.filter((to) => !uncertain.has(to))).toHaveLength(count - uncertain.size);
    }),
    { numRuns: 40 },
  );
});
