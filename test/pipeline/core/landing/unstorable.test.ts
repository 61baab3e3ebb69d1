import { expect, it } from "vitest";
import {
  isUnstorable,
  isWindowUnstorable,
  type Manifest,
} from "../../../../pipeline/core/landing/manifests.ts";

const usual = "2026-01-01 00:00:00.000";
const beyond = "+010000-01-01 00:00:00.000";
const none = {
  window_start: usual,
  window_end: usual,
  read_at: usual,
  range_start: usual,
  server_time: usual,
};

it("a read with any time after the year 9999 is not stored, and such a window is not re-read", () => {
  const judge = (more: object): readonly boolean[] => {
    const manifest = { ...none, ...more } as Manifest;
    return [isUnstorable(manifest), isWindowUnstorable(manifest)];
  };
  expect(judge({})).toEqual([false, false]);
  for (const key of ["window_start", "window_end"])
    expect([key, ...judge({ [key]: beyond })]).toEqual([key, true, true]);
  for (const key of ["read_at", "range_start", "server_time"])
    expect([key, ...judge({ [key]: beyond })]).toEqual([key, true, false]);
  const nulls = { window_start: null, window_end: null, range_start: null, server_time: null };
  expect(judge(nulls)).toEqual([false, false]);
});
