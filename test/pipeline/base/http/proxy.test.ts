import { EnvHttpProxyAgent } from "undici";
import { expect, it } from "vitest";
import { newDispatcher } from "../../../../pipeline/base/http/transport.ts";

const proxy = "http://127.0.0.1:3128";

it.each([
  [{}, false],
  [{ HTTPS_PROXY: proxy }, true],
  [{ https_proxy: proxy }, true],
  [{ HTTPS_PROXY: "" }, false],
  [{ https_proxy: "", HTTPS_PROXY: proxy }, false],
  [{ https_proxy: proxy, HTTPS_PROXY: "" }, true],
  [{ HTTP_PROXY: proxy, ALL_PROXY: proxy }, false],
])("the environment %j means a proxy: %s", async (env, isThere) => {
  const dispatcher = newDispatcher({}, env);
  expect(dispatcher instanceof EnvHttpProxyAgent).toBe(isThere);
  await dispatcher.close();
});
