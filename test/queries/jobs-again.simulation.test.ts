import { expect, test } from "vitest";
import { homeWithWarehouse } from "../support/home.ts";

// The status of a job follows from the newest record of the log, in any order of reading.
const start = Date.UTC(2026, 2, 1, 10) / 1000;
const [runner, killer, second] = [2, 3, 4];
type Word = readonly [second: number, word: string, user?: number];

const running = { status: "running", finished_at: null, seconds: null, killed_by: null };
const end = (status: string, at: number, seconds: number | null, killed_by?: number) => ({
  status,
  finished_at: String(at),
  seconds: seconds === null ? null : String(seconds),
  killed_by: killed_by === undefined ? null : String(killed_by),
});

const cases: readonly (readonly [title: string, words: readonly Word[], expected: object])[] = [
  [
    "continues after an end",
    [
      [0, "issue"],
      [1, "running"],
      [1800, "error"],
      [1860, "running"],
    ],
    running,
  ],
  [
    "ended before it began",
    [
      [10, "success"],
      [20, "running"],
    ],
    running,
  ],
  [
    "waits again after an end",
    [
      [1, "running"],
      [5, "error"],
      [9, "queued"],
    ],
    { ...running, status: "queued" },
  ],
  [
    "ended in the second of its start",
    [
      [5, "success"],
      [5, "running"],
    ],
    end("success", 5, 0),
  ],
  [
    "ended again",
    [
      [1, "running"],
      [5, "error"],
      [9, "running"],
      [12, "success"],
      [14, "success"],
    ],
    end("success", 14, 13),
  ],
  [
    "has an end before its issue",
    [
      [10, "issue"],
      [9, "error"],
    ],
    end("error", 9, null),
  ],
  [
    "continues after a kill",
    [
      [1, "running"],
      [5, "kill", killer],
      [9, "running"],
    ],
    running,
  ],
  [
    "was killed",
    [
      [1, "running"],
      [5, "kill", killer],
    ],
    end("killed", 5, 4, killer),
  ],
  [
    "was killed in the second of its start",
    [
      [5, "kill", killer],
      [5, "running"],
    ],
    end("killed", 5, 0, killer),
  ],
  [
    "was killed when it ran again, by another",
    [
      [1, "running"],
      [4, "kill", killer],
      [5, "killed"],
      [9, "running"],
      [12, "kill", second],
    ],
    end("killed", 12, 11, second),
  ],
  [
    "was killed, ran again and ended by itself",
    [
      [1, "running"],
      [4, "kill", killer],
      [5, "killed"],
      [9, "running"],
      [12, "success"],
    ],
    end("success", 12, 11),
  ],
  [
    "had ended by itself when a kill was requested",
    [
      [1, "running"],
      [5, "success"],
      [9, "kill", killer],
    ],
    end("success", 5, 4),
  ],
  [
    "was killed, as the service wrote down before who did it",
    [
      [1, "running"],
      [5, "killed"],
      [6, "kill", killer],
    ],
    end("killed", 5, 4, killer),
  ],
];

const records = cases.flatMap(([, words], n) =>
  words.map(([second_, word, user_id = runner], i) => ({
    id: `${n}-${i}`,
    time: start + second_,
    user_id,
    resource_id: String(900 + n),
    ...(["issue", "kill"].includes(word)
      ? { event_name: `job_${word}` }
      : { event_name: "job_modify", attribute_name: "status", new_value: word }),
  })),
);
const columns = `status, epoch(finished_at)::bigint - ${start} as finished_at,
  duration_seconds as seconds, killed_by_user_id as killed_by`;

// Of what is read in two loads, the first has starts without issues and ends without starts.
test.each([
  ["at once", [records]],
  [
    "every other word first",
    [records.filter((_, i) => i % 2), records.filter((_, i) => i % 2 === 0)],
  ],
])("a job that ends or runs again has its last end, read %s", async (_, loads) => {
  using home = await homeWithWarehouse();
  for (const load of loads) expect((await home.load(load)).code).toBe(0);
  for (const [n, [title, , expected]] of cases.entries()) {
    const sql = `select ${columns} from query_jobs where job_id = '${900 + n}'`;
    expect(await home.rows(sql), `a job that ${title}`).toEqual([expected]);
  }
  const argv = ["report", "run", "long_jobs", "--param", "minutes=0", "--format", "json"];
  const range = ["--since", "2026-03-01", "--until", "2026-03-02"];
  const { out } = await home.run([...argv, ...range]);
  const listed = (JSON.parse(out) as { job_id: string }[]).map(({ job_id }) => job_id);
  const finished = cases.flatMap(([, , expected], i) =>
    (expected as typeof running).seconds === null ? [] : [String(900 + i)],
  );
  expect(listed.toSorted()).toEqual(finished);
});
