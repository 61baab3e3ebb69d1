import { Agent, EnvHttpProxyAgent, type Dispatcher } from "undici";

type Env = Readonly<Record<string, string | undefined>>;

// Plain http goes to this machine alone, and no proxy leads there.
const loopback = ["localhost", "127.0.0.1", "[::1]", "::1"];

/**
 * What sends requests: through the proxy that the environment names (`HTTPS_PROXY`, but not for what `NO_PROXY` lists, in
 * either spelling), else by itself. Only https is sent that way, so a proxy sees no more than the names of hosts.
 */
export function dispatcherFor(options: Agent.Options, env: Env): Dispatcher {
  const proxy = env["https_proxy"] ?? env["HTTPS_PROXY"] ?? "";
  if (proxy === "") return new Agent(options);
  const listed = env["no_proxy"] ?? env["NO_PROXY"] ?? "";
  return new EnvHttpProxyAgent({
    ...options,
    httpProxy: "",
    httpsProxy: proxy,
    noProxy: [listed, ...loopback].filter((each) => each !== "").join(","),
  });
}
