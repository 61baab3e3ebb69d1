import { expect, onTestFinished, test } from "vitest";
import { startService } from "../../../../fixtures/service.ts";
import { testKey } from "../../../support/key.ts";
import { newListener } from "./listener.ts";

const listener = newListener();

test("the first scheduled run whose answers contradict themselves is notified, with what to do", async () => {
  const { home, receiver, configured, called } = listener;
  const service = await startService({
    records: [],
    users: [],
    apiKey: testKey,
    now: Date.now,
    fault: (request, response) => {
      if (!request.url!.startsWith("/v4/")) return false;
      response.setHeader("Content-Type", "application/json");
      response.end(JSON.stringify({ audits: [], total: 3 }));
      return true;
    },
  });
  onTestFinished(() => service.close());
  const sources = {
    prod: { base_url: service.url, api_key_file: home.write("key", testKey) },
  };
  const nightly = { cron: "@daily", ingest: {} };
  const file = configured({ notify: "hook", jobs: { nightly } }, { sources });
  expect((await called(file, ["run", "--scheduled", "nightly"])).code).toBe(6);
  expect(receiver.rows()).toMatchObject([
    {
      job: "nightly",
      state: "failed",
      exit_code: 6,
      source: "prod",
      cause: expect.stringMatching(/^data is incomplete, .*run auditlake .*doctor --source prod/),
    },
  ]);
});
