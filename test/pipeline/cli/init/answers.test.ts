import { PassThrough } from "node:stream";
import { expect, it } from "vitest";
import { readAnswers, type InitFlags, newDialog } from "../../../../pipeline/cli/init/answers.ts";
import { testWorld } from "../../../support/world.ts";

/** Flags, of which those that are undefined are not given. */
type Given = { readonly [K in keyof InitFlags]?: InitFlags[K] | undefined };

const flags: InitFlags = {
  name: "prod",
  baseUrl: "https://service.example",
  keyEnv: "KEY",
  retention: "7d",
  runsPerDay: "1",
};

it.each(["0 3 * * *", "@daily"])("--schedule accepts %s unchanged", async (schedule) => {
  const { runsPerDay: _, ...others } = flags;
  const answers = await readAnswers({ ...others, schedule }, undefined, testWorld());
  expect(Object.values(answers)).toContain(schedule);
  const given = readAnswers({ ...others, schedule: "often" }, undefined, testWorld());
  await expect(given).rejects.toThrow(/^--schedule/);
});

it.each(["retention", "window"])("the shortest %s is a second", async (flag) => {
  const given = { ...flags, [flag]: "1s" };
  expect(await readAnswers(given, undefined, testWorld())).toMatchObject({ [flag]: "1s" });
  for (const none of ["0s", "999ms", "second", ""])
    await expect(readAnswers({ ...flags, [flag]: none }, undefined, testWorld())).rejects.toThrow(
      `--${flag}: found "${none}"; expected a duration`,
    );
});

it.each<[change: Given, answers: object]>([
  [
    {},
    {
      name: "prod",
      key: { api_key_env: "KEY" },
      authScheme: "SVC1",
      retention: "7d",
      window: "1d",
      cron: "15 2 * * *",
    },
  ],
  [{ baseUrl: "https://a.example//" }, { baseUrl: "https://a.example" }],
  [{ keyEnv: undefined, keyFile: "my key" }, { key: { api_key_file: "my key" } }],
  [{ authScheme: "Bearer" }, { authScheme: "Bearer" }],
  [{ retention: "unknown" }, { retention: undefined }],
  [{ window: "12h" }, { window: "12h" }],
  [{ runsPerDay: "24" }, { cron: "15 * * * *" }],
  [{ runsPerDay: "96" }, { cron: "*/15 * * * *" }],
])("the flags %j set their answers, and the others have defaults", async (change, answers) => {
  expect(
    await readAnswers({ ...flags, ...change } as InitFlags, undefined, testWorld()),
  ).toMatchObject(answers);
});

it.each<[change: Given, said: string]>([
  [
    { name: "a b" },
    '--name: found "a b"; expected up to 64 letters, digits, dots, dashes and underscores',
  ],
  [{ baseUrl: "ftp://a.example" }, "--base-url"],
  [{ keyEnv: "se-cret" }, "not a valid name of an environment variable; expected letters, digits"],
  [{ keyFile: "k" }, "--key-env and --key-file exclude each other; expected one of them"],
  [{ authScheme: "a b" }, '--auth-scheme: found "a b"; expected one word'],
  [
    { runsPerDay: "5" },
    '--runs-per-day: found "5"; expected one of 1, 2, 3, 4, 6, 8, 12, 24, 48, 96',
  ],
  [
    { schedule: "@daily" },
    "--runs-per-day and --schedule exclude each other; expected one of them",
  ],
  [
    { runsPerDay: undefined, schedule: "none" },
    '--schedule: found "none"; expected five fields, @daily or @hourly',
  ],
  [
    { name: undefined },
    "--name is missing, and there is no terminal for questions: a name for the source",
  ],
  [
    { name: undefined, retention: undefined },
    "there is no terminal for questions; add --name, --retention; auditlake init --help explains them",
  ],
])("the flags %j are refused", async (change, said) => {
  await expect(
    readAnswers({ ...flags, ...change } as InitFlags, undefined, testWorld()),
  ).rejects.toThrow(said);
});

async function dialogue(given: Given, typed: string, env: Record<string, string> = {}) {
  const world = testWorld({ stdin: new PassThrough().end(typed), env });
  using dialog = newDialog(world);
  const answers = await readAnswers(given as InitFlags, dialog, world).catch(
    ({ message, exitCode }) => ({
      message,
      exitCode,
    }),
  );
  return { answers, shown: world.err() };
}

it("missing flags are requested, an invalid answer repeats the question, and an empty one is the default", async () => {
  const typed = ["a b", "", "", "KEY", "", "", "", ""].map((line) => ` ${line} \n`).join("");
  const { answers, shown } = await dialogue({}, typed, { AUDITLAKE_BASE_URL: "https://b.example" });
  expect(answers).toMatchObject({
    name: "default",
    baseUrl: "https://b.example",
    authScheme: "SVC1",
    retention: undefined,
    window: "1d",
    cron: "15 2 * * *",
  });
  expect(shown.match(/a name for the source, such as prod \[default\]: /g)).toHaveLength(2);
  expect(shown).toContain('--name: found "a b"; expected up to 64');
  expect(shown).toContain(
    "the address of the service, such as https://service.example [https://b.example]: ",
  );
  expect(shown).toContain("the time range of one read [1d]: ");
});

it("the key's variable is proposed if it is set", async () => {
  const typed = ["prod", "https://b.example", "", "", "7d", "", "1"].map((line) => `${line}\n`);
  const { answers, shown } = await dialogue({}, typed.join(""), { AUDITLAKE_API_KEY: "k" });
  expect(answers).toMatchObject({ key: { api_key_env: "AUDITLAKE_API_KEY" } });
  expect(shown).toContain("[AUDITLAKE_API_KEY]: ");
});

it("an address without a default is requested again, and --yes asks only for values without a default", async () => {
  const address = await dialogue({ ...flags, baseUrl: undefined }, "\nhttps://b.example\n\n\n");
  expect(address.answers).toMatchObject({ baseUrl: "https://b.example" });
  expect(address.shown).toContain("there is no default; type an answer, or Ctrl-C to stop");
  const { answers, shown } = await dialogue({ ...flags, name: undefined, yes: true }, "prod\n");
  expect(answers).toMatchObject({ name: "prod", window: "1d" });
  expect(shown).toBe("a name for the source, such as prod [default]: ");
  const unanswered = await dialogue({ ...flags, name: undefined, yes: true }, "");
  expect(unanswered).toEqual({
    answers: { message: "unanswered questions; nothing was written", exitCode: 2 },
    shown: "a name for the source, such as prod [default]: \n",
  });
});
