import { expect, it } from "vitest";
import { agentOptions } from "../../../../../pipeline/base/http/transport.ts";

it("a request has no library timeout below limits.timeout", () => {
  expect(agentOptions).toMatchObject({ headersTimeout: 0, bodyTimeout: 0 });
});
