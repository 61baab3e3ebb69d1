import { expect, test } from "vitest";
import { newRandom } from "../../../../fixtures/random.ts";
import { listIntervals } from "../../../../pipeline/base/time/wall.ts";
import { homeWithWarehouse } from "../../../support/home.ts";

// The offsets that reports show hours by, compared with the platform's own for each moment.

const zones = [
  "UTC",
  "Europe/Berlin",
  "America/New_York",
  "America/St_Johns",
  "Australia/Lord_Howe",
  // Sets its clocks back for one month of the moon.
  "Africa/Casablanca",
  "Asia/Kolkata",
  "Asia/Tehran",
  // Left out a whole day in 2011.
  "Pacific/Apia",
  "America/Caracas",
];

const seed = Number(process.env["ZONE_SEED"] ?? 7);

test.each(zones)(
  `%s, at any moment of fifty years and around each change, seed ${seed}`,
  (zone) => {
    const random = newRandom(seed, zone);
    const intervals = listIntervals(zone);
    const shown = new Intl.DateTimeFormat("sv-SE", {
      timeZone: zone,
      dateStyle: "short",
      timeStyle: "medium",
    });
    const [first, last] = [intervals[0]!.fromMs, intervals.at(-1)!.toMs];
    const anywhere = Array.from(
      { length: 300 },
      () => first + Math.floor(random.next() * (last - first)),
    );
    const changes = intervals.slice(1).flatMap(({ fromMs }) => [fromMs - 1000, fromMs]);
    for (const ms of [...anywhere, ...changes]) {
      const own = intervals.filter(({ fromMs, toMs }) => fromMs <= ms && ms < toMs);
      expect(own).toHaveLength(1);
      const local = new Date(ms + own[0]!.offsetMinutes * 60_000);
      expect(local.toISOString().slice(0, 19).replace("T", " ")).toBe(shown.format(ms));
    }
  },
);

test("reports show hours in the configured zone, or a named one; another is refused", async () => {
  using home = await homeWithWarehouse();
  const configure = (config: object): string =>
    home.write("auditlake.json", JSON.stringify(config));
  // Berlin: 23:30 in winter is 0:30 of the next day, 22:30 in summer as well.
  const denials = ["2026-01-10T23:30:00Z", "2026-07-10T22:30:00Z"].map((time) => ({
    time,
    event_name: "sign_in_failed",
    user_id: 1,
  }));
  const config = configure({ timezone: "Europe/Berlin", timezones: ["Asia/Tokyo"] });
  await home.run(["--config", config, "import", home.write("r.json", JSON.stringify(denials))]);
  const hours = async (...more: string[]) => {
    const range = ["--since", "2026-01-01", "--until", "2026-12-01", "--format", "csv"];
    const argv = ["--config", config, "report", "run", "denials_by_hour", ...range, ...more];
    const { code, out, err } = await home.run(argv);
    const rows = out.trim().split(/\r?\n/).slice(1);
    return { code, hours: rows.map((row) => row.split(",")[0]).join(" "), err };
  };
  expect(await hours()).toMatchObject({ code: 0, hours: "0" });
  expect(await hours("--timezone", "Asia/Tokyo")).toMatchObject({ code: 0, hours: "7 8" });
  const other = await hours("--timezone", "Africa/Lagos");
  expect(other.code).toBe(2);
  expect(other.err).toContain(
    `time zone "Africa/Lagos" is not in the published data, which has Europe/Berlin, Asia/Tokyo; add it to timezones in the configuration, then run auditlake --config ${config} publish`,
  );
  expect((await hours("--timezone", "Mars/Base")).err).toContain(
    '"Mars/Base" is not a time zone; expected one such as UTC or Europe/Oslo',
  );
  configure({ timezone: "Africa/Lagos" });
  expect((await home.run(["--config", config, "publish"])).code).toBe(0);
  expect(await hours()).toMatchObject({ code: 0, hours: "0 23" });
  configure({ timezone: "Mars/Base" });
  const wrong = await home.run(["--config", config, "publish"]);
  expect(wrong.code).toBe(2);
  expect(wrong.err).toContain("timezone: expected the name of a time zone such as UTC");
});
