import { once } from "node:events";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { createServer as createProxy } from "node:http";
import { createServer } from "node:https";
import { connect, type AddressInfo } from "node:net";
import { join } from "node:path";
import { expect, test } from "vitest";
import { startMarketingCloud } from "../../../../fixtures/destinations/marketing-cloud.ts";
import { selfSigned } from "../../../support/certificate.ts";
import { failureLine } from "../../../support/failure.ts";
import type { Outcome } from "../../../support/command.ts";
import { spawnCommand } from "../../../support/killed.ts";
import { newSetting, type Setting } from "./setting.ts";

/** The targets of a setting, and more of them. */
function runConfigured({ home }: Setting, more: object): void {
  const path = join(home.folder, "auditlake.json");
  const config = JSON.parse(readFileSync(path, "utf8")) as { targets: object };
  const targets = { ...config.targets, ...more };
  writeFileSync(path, JSON.stringify({ ...config, targets }), { mode: 0o600 });
}

const yes = /: yes, a delivery would find what it needs\n$/;

test("the test of each kind of target passes, and sends only one marked row", async () => {
  const setting = await newSetting();
  const { home, run, service, receiver } = setting;
  const lake = await run(["test", "lake"]);
  expect(lake).toMatchObject({ code: 0, out: expect.stringMatching(/can be created\n.*yes/) });
  expect(existsSync(join(home.folder, "out"))).toBe(false);
  expect((await run(["test", "chat"])).out).toMatch(yes);
  expect(service.arrived()).toEqual([]);
  expect((await run(["test", "hook", "--send-nothing"])).out).toMatch(/a server answers there/);
  expect(receiver.arrived()).toEqual([]);
  expect((await run(["test", "hook"])).out).toMatch(yes);
  expect(receiver.rows()).toEqual([{ auditlake_test: expect.stringMatching(/^This is a test/) }]);
  const given = JSON.stringify({ type: "file", folder: "given" });
  expect((await run(["test", "--result", given])).out).toMatch(yes);
});

test("the test reports what would prevent a delivery, with its exit code", async () => {
  const setting = await newSetting();
  const { home, run, receiver, service } = setting;
  receiver.fault(() => ({ status: 401 }));
  expect(failureLine(await run(["test", "hook"]), 4, [])).toMatch(/answered 401/);
  receiver.fault(undefined);
  service.fault(() => ({ status: 401, body: '{"error":{"code":190}}' }));
  expect(failureLine(await run(["test", "chat"]), 4, [])).toMatch(/check access_token/);
  service.fault(undefined);
  const file = home.write("no-folder", "");
  runConfigured(setting, { full: { type: "file", folder: `${file}/below` } });
  expect(failureLine(await run(["test", "full"]), 1, [])).toMatch(/is not writable/);
  expect(failureLine(await run(["test", "nosuch"]), 2, [])).toMatch(
    /target nosuch is not configured/,
  );
  expect(failureLine(await run(["test"]), 2, [])).toMatch(/no target; expected/);
  const { out } = await home.run(
    ["--config", join(home.folder, "auditlake.json"), "doctor", "--no-reports"],
    {
      env: { CHAT: JSON.stringify({ access_token: service.token }) },
    },
  );
  expect(out).toMatch(/^ok +target +chat: the access token/m);
  expect(out).toMatch(/^fail +target +hook: .*HOOK/m);
  expect(out).toMatch(/^ok +target +lake: /m);
});

test("the test checks the connectors of an activation, each with its mapping, also in a workflow file", async () => {
  const setting = await newSetting();
  const { home, run, service, receiver } = setting;
  const path = join(home.folder, "auditlake.json");
  const config = JSON.parse(readFileSync(path, "utf8")) as { targets: { hook: object } };
  const mapAll = (
    delta_status: string,
    connector_field: string,
    connector_field_value: unknown,
  ) => ({
    delta_status,
    connector_field,
    connector_field_value,
  });
  const activation = (result_connection_settings: object, ...activation_mappings: object[]) => ({
    activation_actions_table: "denials",
    id_key: "event_key",
    result_connection_name: "hook",
    result_connection_settings,
    activation_mappings,
  });
  const hook = { ...config.targets.hook, secret: "__SAVED__" };
  const file = { type: "file", folder: "out" };
  const activations = {
    files: activation(file, mapAll("new", "file_name", "n"), mapAll("deleted", "file_name", "d")),
    hooked: activation(
      hook,
      mapAll("new", "records_per_batch", 5),
      mapAll("updated", "records_per_batch", 5),
    ),
  };
  const params = {
    ...activation({ type: "file", folder: "flow" }, mapAll("new", "file_name", "n")),
    activation_actions_db: "main",
    api_endpoint: "https://gateway.us01.example",
  };
  home.write("flow.yml", JSON.stringify({ _export: { params } }));
  const hookParams = {
    ...params,
    ...activation(hook, mapAll("new", "records_per_batch", 5)),
    activation_actions_table: "hook",
  };
  home.write("hook.yml", JSON.stringify({ _export: { params: hookParams } }));
  const daily = (from_workflow: string) => ({ cron: "@daily", activate: { from_workflow } });
  const jobs = { flow: daily("flow.yml"), hook: daily("hook.yml") };
  const all = { ...config, activations, schedule: { jobs } };
  writeFileSync(path, JSON.stringify(all), { mode: 0o600 });

  expect((await run(["test", "--activation", "files"])).out).toMatch(
    /^files: deleted: .*out .*can be created\nfiles: new: .*\nfiles: yes/,
  );
  expect((await run(["test", "--activation", "hooked", "--send-nothing"])).out).toMatch(
    /^hooked: updated, new: a server answers there.*\nhooked: yes/,
  );
  expect(receiver.arrived()).toEqual([]);
  expect((await run(["test", "--activation", "hooked"])).out).toMatch(yes);
  expect(receiver.rows()).toEqual([{ auditlake_test: expect.any(String) }]);
  const flow = join(home.folder, "flow.yml");
  expect((await run(["test", "--from-workflow", flow])).out).toMatch(
    /^flow: note: .*\nflow: new: .*created\n/,
  );
  const both = await run(["test", "lake", "--activation", "files"]);
  expect(failureLine(both, 2, [])).toMatch(/no target; expected.*activations: files, hooked/);
  const env = { CHAT: JSON.stringify({ access_token: service.token }) };
  const { out } = await home.run(["--config", path, "doctor", "--no-reports"], { env });
  expect(out).toMatch(/^ok +activation +files: deleted: /m);
  expect(out).toMatch(/^fail +activation +hooked: .*HOOK/m);
  expect(out).toMatch(/^ok +activation +flow.yml: .*new: /m);
  expect(receiver.rows()).toHaveLength(1);
  // With all credentials, doctor sends no marked row either, whatever names the webhook.
  const whole = await home.run(["--config", path, "doctor", "--no-reports"], { env: setting.env });
  for (const found of ["target +hook", "activation +hooked", "activation +hook.yml"])
    expect(whole.out).toMatch(new RegExp(`^ok +${found}: .*a server answers there`, "m"));
  expect(receiver.rows()).toHaveLength(1);
});

test("the test of a marketing cloud signs in and checks data extension and fields, without creating anything", async () => {
  await using account = await startMarketingCloud();
  const setting = await newSetting();
  const crm = {
    type: "marketing_cloud_v2",
    client_id: account.clientId,
    client_secret: account.clientSecret,
    auth_uri: account.url,
    soap_namespace: account.soapNamespace,
    de_name: "people",
  };
  const key = { name: "id", type: "Text", length: 40, isPrimaryKey: true } as const;
  const make = { create_new_de: true, primary_column: "id", folder_path: "/a/b" };
  runConfigured(setting, {
    crm,
    made: { ...crm, ...make, create_folder_if_not_exists: true },
    lost: { ...crm, ...make },
    wrong: { ...crm, client_secret: "SECRET-wrong" },
  });
  const run = (name: string): Promise<Outcome> => setting.run(["test", name]);
  expect(failureLine(await run("crm"), 2, [])).toMatch(/data extension "people"/);
  expect((await run("made")).out).toMatch(/"people" will be created\n.*yes/);
  expect(failureLine(await run("lost"), 2, [])).toMatch(/folder_path \/a does not exist/);
  expect(failureLine(await run("wrong"), 4, [])).toMatch(/refused the installed package/);
  account.make("people", [key]);
  expect(failureLine(await run("crm"), 2, [])).toMatch(/fewer than 2 fields/);
  expect(account.folders()).toEqual([]);
  account.make("others", [key, { name: "name", type: "Text" }]);
  runConfigured(setting, { crm: { ...crm, de_name: "others" } });
  expect((await run("crm")).out).toMatch(/has 2 fields, primary key id/);
});

test("the test uses a proxy of the environment, and connects directly for NO_PROXY", async () => {
  const setting = await newSetting();
  const { key, cert } = selfSigned("receiver", ["receiver.example", "localhost"]);
  const server = createServer(
    { key, cert },
    (_request, response) => void response.writeHead(204).end(),
  );
  const asked: string[] = [];
  const proxy = createProxy().on("connect", ({ url = "" }, socket) => {
    asked.push(url);
    const there = connect((server.address() as AddressInfo).port, "127.0.0.1", () => {
      socket.write("HTTP/1.1 200 OK\r\n\r\n");
      there.pipe(socket).pipe(there);
    });
    for (const each of [there, socket]) each.on("error", () => undefined);
  });
  for (const each of [server, proxy]) each.listen(0, "127.0.0.1");
  await Promise.all([server, proxy].map((each) => once(each, "listening")));
  const ca = setting.home.write("ca.pem", cert);
  const hook = { type: "webhook", secret: "SECRET-hook" };
  runConfigured(setting, {
    far: { ...hook, url: "https://receiver.example/in" },
    near: { ...hook, url: `https://localhost:${(server.address() as AddressInfo).port}/in` },
  });
  const run = async (name: string): Promise<{ code: number; printed: string }> => {
    const env = {
      ...setting.env,
      NODE_EXTRA_CA_CERTS: ca,
      HTTPS_PROXY: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`,
    };
    const child = spawnCommand(["--home", setting.home.home, ...setting.argv("test", name)], env);
    let printed = "";
    for (const stream of [child.stdout!, child.stderr!])
      stream.on("data", (part: Buffer) => (printed += part.toString()));
    const [code] = (await once(child, "close")) as [number];
    return { code, printed };
  };
  try {
    expect(await run("far")).toMatchObject({ code: 0, printed: expect.stringMatching(yes) });
    expect(asked).toEqual(["receiver.example:443"]);
    expect((await run("near")).code).toBe(0);
    expect(asked).toHaveLength(1);
  } finally {
    for (const each of [server, proxy]) {
      each.closeAllConnections();
      each.close();
    }
  }
});
