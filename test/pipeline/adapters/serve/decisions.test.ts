import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { newFormTokens } from "../../../../pipeline/adapters/serve/form-token.ts";
import { runAsVisitor } from "../../../../pipeline/adapters/serve/visitor.ts";
import { takeLock } from "../../../../pipeline/base/home/lock.ts";
import { getMarkupText } from "../../../../pipeline/base/html/markup.ts";
import { readUserName } from "../../../../pipeline/base/home/version.ts";
import { type Served, serving } from "../../../support/serve.ts";
import { denials, type FindingsHome, newFindingsHome } from "../../cli/findings/scene.ts";

let original: FindingsHome;
let home: FindingsHome;
let served: Served;
let id: string;
let other: string;
beforeAll(async () => {
  original = await newFindingsHome();
  await original.import([...denials(17), ...denials(18)]);
  const ids = await original.ids();
  [id, other] = [ids["user 17"]!, ids["user 18"]!];
});
afterAll(() => original[Symbol.dispose]());

async function serveCopy(): Promise<void> {
  home = await newFindingsHome(undefined, {}, original);
  served = await serving(home);
}

async function endServing(): Promise<void> {
  await served[Symbol.asyncDispose]();
  home[Symbol.dispose]();
}

const march = "since=2026-03-01&until=2026-03-31";
const me = readUserName();

/** The hidden fields of the forms of a page. */
function readFields(page: string): { readonly token: string; readonly seen: string } {
  const read = (name: string): string =>
    new RegExp(`name="${name}" value="([^"]*)"`).exec(page.replaceAll(/\s+/g, " "))?.[1] ?? "";
  return { token: read("token"), seen: read("seen") };
}

async function open(path = `/findings/${id}`) {
  return readFields(await served.text(path));
}

async function readState(of = id): Promise<unknown> {
  const sql = `select state from findings where finding_id = '${of}'`;
  return (await home.rows(sql))[0]?.["state"];
}

async function readDecisions(): Promise<unknown[]> {
  const rows = await home.rows(
    "select decision, decided_by, closed_as, reason from finding_decisions order by decided_at, decision",
  );
  return rows.map((row) => Object.values(row).filter((value) => value !== null));
}

describe("a decision in the browser", () => {
  beforeEach(serveCopy);
  afterEach(endServing);

  test("is stored with the person, shown at once and logged", async () => {
    const fields = await open();
    const form = { ...fields, decision: "acknowledge" };
    const done = await served.get(`/findings/${id}`, form);
    expect([done.status, done.headers.get("location")]).toEqual([303, `/findings/${id}`]);
    expect(await readState()).toBe("acknowledged");
    expect(await readDecisions()).toEqual([["acknowledge", me]]);
    const page = await served.text(`/findings/${id}`);
    expect(page).toContain("Acknowledged 1 finding.");
    expect(page.replaceAll(/\s+/g, " ")).toContain(`acknowledged by ${me}`);
    const log = readFileSync(join(home.home, "serve", "asked.ndjson"), "utf8");
    expect(log).toContain(`"by":"${me}","kind":"decision","what":"acknowledge ${id}"`);
  });

  test("of several findings is one form, and is undone by one click", async () => {
    const path = `/findings?${march}`;
    const fields = await open(path);
    const body = new URLSearchParams({ ...fields, decision: "acknowledge" });
    body.append("id", id);
    body.append("id", other);
    const { origin } = new URL(served.address);
    const entered = await fetch(served.address, { redirect: "manual" });
    const cookie = entered.headers.get("set-cookie")!.split(";")[0]!;
    const headers = { cookie, origin };
    const init = { method: "POST", headers, body, redirect: "manual" } as const;
    expect((await fetch(origin + path, init)).status).toBe(303);
    expect([await readState(id), await readState(other)]).toEqual(["acknowledged", "acknowledged"]);
    const page = await served.text(path);
    expect(page).toContain("Acknowledged 2 findings.");
    const { token } = readFields(page);
    await served.get(path, { token, decision: "reopen", reason: "undone", id });
    expect([await readState(id), await readState(other)]).toEqual(["open", "acknowledged"]);
  });

  test("closes with a verdict and a reason, and keeps notes", async () => {
    const { token, seen } = await open();
    const note = { token, decision: "note", reason: "asked\r\nthe <b>team</b>" };
    expect((await served.get(`/findings/${id}`, note)).status).toBe(303);
    const close = { token, seen, decision: "close", as: "benign", reason: "load test" };
    expect((await served.get(`/findings/${id}`, close)).status).toBe(303);
    expect(await readDecisions()).toEqual([
      ["close", me, "benign", "load test"],
      ["note", me, String.raw`asked\u000athe <b>team</b>`],
    ]);
    const page = await served.text(`/findings/${id}`);
    expect(page).toContain("the &lt;b&gt;team&lt;/b&gt;");
    expect(page).not.toContain("<b>team");
  });

  test("of the second of two users shows the first one's decision, and stores nothing", async () => {
    const [first, second] = [await open(), await open()];
    await served.get(`/findings/${id}`, { ...first, decision: "acknowledge" });
    const close = { ...second, decision: "close", as: "benign", reason: "typed text" };
    const refused = await served.get(`/findings/${id}`, close);
    expect(refused.status).toBe(409);
    const page = await refused.text();
    expect(page).toContain(`${me} acknowledged ${id.slice(0, 6)}`);
    expect(page).toContain("typed text");
    expect(await readState()).toBe("acknowledged");
    const again = { ...readFields(page), decision: "close", as: "benign", reason: "typed text" };
    expect((await served.get(`/findings/${id}`, again)).status).toBe(303);
    expect(await readState()).toBe("closed");
  });

  test("of two users at once is stored for one of them", async () => {
    const fields = await open();
    const forms = ["acknowledge", "acknowledge", "close"].map((decision) =>
      served.get(`/findings/${id}`, { ...fields, decision, as: "benign", reason: "x" }),
    );
    const statuses = (await Promise.all(forms)).map(({ status }) => status).toSorted();
    expect(statuses).toEqual([303, 409, 409]);
    expect(await readDecisions()).toHaveLength(1);
  });

  test("stores nothing and reports a run that holds the lock", async () => {
    const fields = await open();
    using _lock = takeLock(join(home.home, "run.lock"), "ingest", Date.now());
    const form = { ...fields, decision: "close", as: "benign", reason: "typed text" };
    const refused = await served.get(`/findings/${id}`, form);
    expect([refused.status, refused.headers.get("retry-after")]).toEqual([503, "5"]);
    const page = await refused.text();
    expect(page).toContain("A run is in progress; try again in a moment.");
    expect(page).toContain("typed text");
    expect(await readState()).toBe("open");
  });
});

function newToken(nowMs: number, page: string): string {
  return readFields(getMarkupText(newFormTokens(() => nowMs).write(page))).token;
}

test("has a form token that is valid for its page, its user and twelve hours", () => {
  let nowMs = Date.UTC(2026, 2, 4);
  const tokens = newFormTokens(() => nowMs);
  const ann = { user: "ann", session: "a", isResponder: true };
  const bob = { ...ann, user: "bob", session: "b" };
  const token = runAsVisitor(ann, () => readFields(getMarkupText(tokens.write("/a"))).token);
  const check = (visitor: typeof ann, page: string, given = token): (() => void) => {
    return () => runAsVisitor(visitor, () => tokens.check(given, page));
  };
  expect(check(ann, "/a")).not.toThrow();
  expect(check(ann, "/b")).toThrow("this form has expired");
  expect(check(bob, "/a")).toThrow("this form has expired");
  const [end, signature] = token.split(".") as [string, string];
  const later = (Number.parseInt(end, 36) + 1).toString(36);
  expect(check(ann, "/a", `${later}.${signature}`)).toThrow("this form has expired");
  nowMs += 12 * 3_600_000;
  expect(check(ann, "/a")).not.toThrow();
  nowMs += 1;
  expect(check(ann, "/a")).toThrow("this form has expired");
});

describe("a suppression in the browser", () => {
  beforeEach(serveCopy);
  afterEach(endServing);

  test("shows which findings it hides, hides them, and is lifted with a reason", async () => {
    const path = `/findings/${id}/suppress`;
    const query = "where=user_id&until=30d&reason=migration";
    const preview = await served.text(`${path}?${query}`);
    expect(preview.replaceAll(/\s+/g, " ")).toContain("It would have hidden 1 finding of");
    expect(preview).toContain('value="migration"');
    const { token } = readFields(preview);
    const form = { token, where: "user_id", until: "30d", reason: "migration" };
    const done = await served.get(path, form);
    expect([done.status, done.headers.get("location")]).toEqual([303, `/findings/${id}`]);
    const count = (state: string): Promise<string> =>
      served.text(`/findings?${march}&state=${state}`);
    expect(await count("suppressed")).toContain(`href="/findings/${id}"`);
    expect(await count("open")).not.toContain(`href="/findings/${id}"`);

    const page = await served.text("/findings/suppressions");
    expect(page).toContain("only for user id 17");
    const [, suppression] = /name="decision" value="([^"]+)"/.exec(page.replaceAll(/\s+/g, " "))!;
    const lift = { ...readFields(page), decision: suppression!, reason: "wrong user" };
    expect((await served.get("/findings/suppressions", lift)).status).toBe(303);
    expect(await count("new")).toContain(`href="/findings/${id}"`);
    expect(await served.text("/findings/suppressions")).toContain(`lifted by ${me}: wrong user`);
    const again = await served.get("/findings/suppressions", lift);
    expect([again.status, await again.text()]).toEqual([400, expect.stringContaining("lifted")]);
  });
});

// One server and token for all: a refused form stores nothing, which each case verifies.
describe("a refused form", () => {
  let fields: Awaited<ReturnType<typeof open>>;
  beforeAll(async () => {
    await serveCopy();
    fields = await open();
  });
  afterAll(endServing);

  test.each([
    [{ decision: "close", as: "benign", reason: "" }, "expected a reason"],
    [{ decision: "close", as: "odd", reason: "typed text" }, "expected a verdict"],
    [{ decision: "close", as: "benign", reason: "x".repeat(1001) }, "expected a reason"],
    [{ decision: "note", reason: " " }, "expected a reason"],
    [{ decision: "delete" }, "expected a decision"],
    [{}, "expected a decision"],
  ])("to decide %j reports the fault and retains the input", async (form, message) => {
    const refused = await served.get(`/findings/${id}`, { ...fields, ...form });
    expect(refused.status).toBe(400);
    const page = await refused.text();
    expect(page).toContain(message);
    if ("reason" in form && form.reason === "typed text") expect(page).toContain("typed text");
    expect(await readDecisions()).toEqual([]);
  });

  test.each([
    ["none", () => ""],
    ["of another page", async () => (await open("/findings?state=all")).token],
    ["of another process", () => newToken(Date.now(), `/findings/${"0".repeat(16)}`)],
    ["that is text", () => "zzz.abc"],
  ])("with a token %s is refused", async (_, token) => {
    const form = { token: await token(), decision: "acknowledge" };
    const refused = await served.get(`/findings/${id}`, form);
    expect(refused.status).toBe(400);
    expect(await refused.text()).toContain("this form has expired");
    expect(await readState()).toBe("open");
  });

  test.each([
    [{ where: "user_id", until: "367d", reason: "x" }, "at most 366 days"],
    [{ where: "user_id", until: "", reason: "x" }, "is not a time"],
    [{ where: "user_id", until: "30d", reason: "" }, "expected a reason"],
    [{ where: "actor", until: "30d", reason: "x" }, "has no value in the key"],
    [{ until: "30d", reason: "x" }, "choose at least one value"],
  ])("to suppress %j reports the fault", async (form, message) => {
    const path = `/findings/${id}/suppress`;
    const { token } = await open(path);
    const refused = await served.get(path, { token, ...form } as Record<string, string>);
    expect(refused.status).toBe(400);
    expect(await refused.text()).toContain(message);
    expect(await readDecisions()).toEqual([]);
  });
});
