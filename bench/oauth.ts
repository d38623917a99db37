import { createHash, randomBytes } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import pg from "pg";
import { systemRoles } from "../core/declare/permissions.ts";
import { startEmbedded } from "../core/embedded/server.ts";
import { createKey, createMember, createOrganisation } from "../operator/organisations.ts";
import { send } from "../test/support/http.ts";
import { launchService } from "../test/support/process.ts";
import { signIn } from "../test/support/sign-in.ts";
import { companyRows } from "./companies.ts";
import { measuredService } from "./environment.ts";

/** Compares a call with an OAuth token to the same call with an API key: they take turns, and the result is the ratio of their rates. */
const ROUNDS = Number(process.env["BENCH_ROUNDS"] ?? 8);
const SECONDS = Number(process.env["BENCH_SECONDS"] ?? 2);
const CALLERS = 8;
const HOST = "agency.bench.test";
const PASSWORD = "correct horse battery";
const CALLBACK = "https://app.example.com/callback";

const dataDir = await mkdtemp(path.join(tmpdir(), "kantoor-bench-"));
const database = await startEmbedded({ dataDir });
const service = await launchService(measuredService(database.url("application"), database.url("owner")));
const port = service.port as number;

/** An administrator's key, and a token with the same permissions. */
async function fill(): Promise<{ key: string; token: string }> {
  const owner = new pg.Client({ connectionString: database.url("owner") });
  await owner.connect();
  const { id } = await createOrganisation(owner, { slug: "agency", name: "An agency" });
  const member = { email: "admin@agency.test", fullName: "Administrator", role: "admin", password: PASSWORD };
  const { accountId } = await createMember(owner, id, member);
  const scopes = systemRoles().find(({ key }) => key === "admin")?.grants ?? [];
  const key = await createKey(owner, id, "kt", { name: "bench", scopes, accountId });
  await owner.query(
    `insert into companies (id, organisation_id, name, created_at) select uuidv7(), $1, c.name, c.created_at from (${companyRows("1000")}) c`,
    [id],
  );
  await owner.end();

  const verifier = randomBytes(32).toString("base64url");
  const challenge = createHash("sha256").update(verifier).digest("base64url");
  const cookie = await signIn(port, HOST, member.email, PASSWORD);
  const client = (await send(port, "POST", "/oauth/register", { host: HOST, body: { redirect_uris: [CALLBACK] } })).body;
  const consent = { client_id: client.client_id, redirect_uri: CALLBACK, code_challenge: challenge, scopes };
  const approved = await send(port, "POST", "/oauth/consent", { host: HOST, cookie, body: consent });
  const form = new URLSearchParams({
    grant_type: "authorization_code",
    client_id: client.client_id,
    redirect_uri: CALLBACK,
    code: new URL(approved.body.redirect_to).searchParams.get("code") as string,
    code_verifier: verifier,
  });
  const headers = { "Content-Type": "application/x-www-form-urlencoded" };
  const issued = await send(port, "POST", "/oauth/token", { host: HOST, headers, body: form.toString() });
  return { key: key.value, token: issued.body.access_token };
}

/** Reads a page of companies for a while on a few connections; returns calls per second. */
async function rateOf(value: string): Promise<number> {
  const began = performance.now();
  const until = began + SECONDS * 1000;
  let calls = 0;
  const caller = async () => {
    while (performance.now() < until) {
      const headers = { Authorization: `Bearer ${value}` };
      const { status } = await send(port, "GET", "/companies?limit=50", { host: HOST, headers });
      if (status !== 200) throw new Error(`a call answered ${status}`);
      calls += 1;
    }
  };
  await Promise.all(Array.from({ length: CALLERS }, caller));
  return calls / ((performance.now() - began) / 1000);
}

const middle = (figures: number[]): number =>
  figures.toSorted((one, other) => one - other)[Math.floor(figures.length / 2)] as number;

try {
  const { key, token } = await fill();
  const sides = { key, token };
  const rates: Record<keyof typeof sides, number[]> = { key: [], token: [] };
  for (const value of Object.values(sides)) await rateOf(value);
  for (let round = 0; round < ROUNDS; round++)
    for (const name of round % 2 === 0 ? (["key", "token"] as const) : (["token", "key"] as const))
      rates[name].push(await rateOf(sides[name]));
  const ratios = rates.token.map((rate, round) => rate / (rates.key[round] as number));
  process.stdout.write(`API key: ${middle(rates.key).toFixed(0)} calls a second
OAuth token: ${middle(rates.token).toFixed(0)} calls a second
a call by token runs at ${middle(ratios).toFixed(3)} times the rate of one by key (rounds ${Math.min(...ratios).toFixed(3)} to ${Math.max(...ratios).toFixed(3)})\n`);
} finally {
  await service.stop();
  await database.stop({ force: true });
  await rm(dataDir, { recursive: true, force: true });
}
