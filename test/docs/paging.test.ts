import { expect, it } from "vitest";
import { readWindow } from "../../pipeline/core/source/audits.ts";
import { clientFor, buildSource } from "../pipeline/core/source/discovery/found.ts";
import { commit } from "./pages.ts";
import { count, pagingPage, playSample, samples, startMs } from "./paging.ts";

const window = { startMs, endMs: startMs + 86_400_000 };

it("the answers in docs/paging.md are those of the emulated service", async () => {
  const page = await pagingPage();
  expect(commit("docs/paging.md", page)).toBe(page);
});

it.each(samples)("the configuration beside $style reads the log completely", async (sample) => {
  const service = await playSample(sample);
  try {
    await using client = clientFor(service.url);
    const { audits, limits } = buildSource({ audits: sample.audits });
    // The samples show two records at a time.
    const small = { ...audits, paging: { ...audits.paging, size: 2 } };
    const pages: number[] = [];
    for await (const { records } of readWindow(client, { audits: small, limits }, window))
      pages.push(records);
    const expected = sample.style === "none" ? [count] : [2, 2, 1];
    expect(pages.filter((records) => records > 0)).toEqual(expected);
  } finally {
    await service.close();
  }
});
