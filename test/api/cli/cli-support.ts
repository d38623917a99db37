import { Readable } from "node:stream";
import { runCli } from "../../../cli/run.ts";
import type { TestDatabase } from "../../support/database.ts";

/** The effects of a command. */
export interface Ran {
  status: number;
  out: string;
  err: string;
  /** The one JSON document on stdout; throws when there is anything else. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
  readonly json: any;
}

/** The environment in which commands work on a test's own database. */
export const environmentOf = (database: TestDatabase, more: Record<string, string> = {}): Record<string, string> => ({
  SERVICE_DATABASE_URL: database.application,
  SERVICE_DATABASE_MIGRATION_URL: database.owner,
  SERVICE_SECRET: "a secret for tests that nobody else has, 0123456789",
  SERVICE_BASE_DOMAIN: "kantoor.test",
  SERVICE_LICENSING: "required",
  ...more,
});

/** Runs one command in this process. @param input the standard input */
export async function cli(env: Record<string, string>, argv: readonly string[], input = ""): Promise<Ran> {
  let [out, err] = ["", ""];
  const status = await runCli(argv, {
    env,
    stdin: Readable.from([Buffer.from(input)]),
    out: (text) => (out += text),
    err: (text) => (err += text),
  });
  // Not enumerable: a failed assertion prints both sides, and would fail on this instead.
  return Object.defineProperty({ status, out, err }, "json", { get: () => JSON.parse(out) }) as Ran;
}
