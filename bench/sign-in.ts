import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import pg from "pg";
import { systemRoles } from "../core/declare/permissions.ts";
import { startEmbedded } from "../core/embedded/server.ts";
import { createKey, createMember, createOrganisation } from "../operator/organisations.ts";
import { send } from "../test/support/http.ts";
import { launchService } from "../test/support/process.ts";
import { postLogin } from "../test/support/sign-in.ts";
import { companyRows } from "./companies.ts";
import { measuredService } from "./environment.ts";

/** Measures whether signing in slows down readers: the p99 of reads while 20 people a second sign in, against the same reads before. */
const SECONDS = 8;
const LOGINS_PER_SECOND = 20;
const READERS = 4;
const HOST = "agency.bench.test";
const PASSWORD = "correct horse battery";

const dataDir = await mkdtemp(path.join(tmpdir(), "kantoor-bench-"));
const database = await startEmbedded({ dataDir });
const service = await launchService({
  ...measuredService(database.url("application"), database.url("owner")),
  SERVICE_RATE_LIMIT_SIGN_IN: "0",
});

async function fill(): Promise<string> {
  const owner = new pg.Client({ connectionString: database.url("owner") });
  await owner.connect();
  const { id } = await createOrganisation(owner, { slug: "agency", name: "An agency" });
  const member = { email: "owner@agency.test", fullName: "Owner", role: "owner", password: PASSWORD };
  const { accountId } = await createMember(owner, id, member);
  const scopes = systemRoles().find(({ key }) => key === "admin")?.grants ?? [];
  const key = await createKey(owner, id, "kt", { name: "bench", scopes, accountId });
  await owner.query(
    `insert into companies (id, organisation_id, name, created_at) select uuidv7(), $1, c.name, c.created_at from (${companyRows("1000")}) c`,
    [id],
  );
  await owner.end();
  return key.value;
}

const quantile = (sorted: number[], at: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * at))] as number;

/** Reads one after another on a few connections for a while; p50 and p99 in milliseconds. */
async function reads(key: string): Promise<{ p50: number; p99: number; count: number }> {
  const times: number[] = [];
  const until = performance.now() + SECONDS * 1000;
  const reader = async () => {
    while (performance.now() < until) {
      const began = performance.now();
      await send(service.port as number, "GET", "/companies?limit=50", { host: HOST, key });
      times.push(performance.now() - began);
      // People read now and then; the reads alone must not saturate the machine.
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  };
  await Promise.all(Array.from({ length: READERS }, reader));
  times.sort((one, other) => one - other);
  return { p50: quantile(times, 0.5), p99: quantile(times, 0.99), count: times.length };
}

try {
  const key = await fill();
  await reads(key);
  const quiet = await reads(key);
  let signedIn = 0;
  const signIn = async () => {
    const form = { username: "owner@agency.test", password: PASSWORD };
    if ((await postLogin(service.port as number, HOST, form)).status === 204) signedIn += 1;
  };
  const timer = setInterval(signIn, 1000 / LOGINS_PER_SECOND);
  const busy = await reads(key);
  clearInterval(timer);
  const shown = ({ p50, p99, count }: typeof quiet) => `p50 ${p50.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms over ${count} reads`;
  process.stdout.write(`quiet: ${shown(quiet)}
${(signedIn / SECONDS).toFixed(1)} sign-ins a second: ${shown(busy)}
the p99 is ${(busy.p99 / quiet.p99).toFixed(2)} times that of the quiet\n`);
} finally {
  await service.stop();
  await database.stop({ force: true });
  await rm(dataDir, { recursive: true, force: true });
}
