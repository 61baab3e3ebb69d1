import { expect, test } from "vitest";
import { newPatientSender } from "../../../../pipeline/outgoing/schedule/notify.ts";

const minuteMs = 60_000;

test("a failed notice is retried after a minute, two, four, up to an hour, and at once after a success", async () => {
  let nowMs = 0;
  let isThere = false;
  const tried: number[] = [];
  const failures: unknown[] = [];
  const send = (): Promise<void> => {
    tried.push(nowMs / minuteMs);
    return isThere ? Promise.resolve() : Promise.reject(new Error("gone"));
  };
  const sendAll = newPatientSender(
    send,
    () => nowMs,
    (error) => failures.push(error),
  );
  for (; nowMs <= 250 * minuteMs; nowMs += minuteMs) await sendAll();
  expect(tried).toEqual([0, 1, 3, 7, 15, 31, 63, 123, 183, 243]);
  expect(failures).toHaveLength(tried.length);
  isThere = true;
  // The clock is set back: what was to be waited for is over.
  nowMs = 10 * minuteMs;
  await sendAll();
  await sendAll();
  expect(tried.slice(-2)).toEqual([10, 10]);
  isThere = false;
  const from = tried.length;
  for (; nowMs <= 20 * minuteMs; nowMs += minuteMs) await sendAll();
  expect(tried.slice(from)).toEqual([10, 11, 13, 17]);
});
