import { randomBytes } from "node:crypto";
import { expect } from "chai";
import pg from "pg";
import { systemRoles } from "../../core/declare/permissions.ts";
import { ruleOf } from "../../integrations/edge/redirects/rules/rule.ts";
import { createKey, createMember, createOrganisation } from "../../operator/organisations.ts";
import { EdgeSimulator } from "../simulators/edge.ts";
import { cloneDatabase, type TestDatabase } from "../support/database.ts";
import { type Answer, send } from "../support/http.ts";
import { holdTimesOfDay } from "../support/jobs.ts";
import { launchService, type Spawned } from "../support/process.ts";
import { prepareRuntime } from "../support/runtime.ts";

/** How often a node is killed; twenty times before a release. */
const ROUNDS = Number(process.env["EDGE_CRASH_ROUNDS"] ?? 2);
const HOST = "agency.kantoor.test";
const INTENT = {
  target_url: "https://nieuw.example",
  status_code: 301,
  preserve_path: true,
  preserve_query: true,
  include_subdomains: true,
};
const ELSEWHERE = "https://ander.example";

interface Domain {
  id: string;
  name: string;
  zone: string;
}

/** An operation that writes at the provider: its preparation, the call, the write after which the node dies, and the expected result. */
interface Writing {
  what: string;
  arrange?(domain: Domain): Promise<unknown>;
  call(domain: Domain, port: number): Promise<Answer>;
  write: RegExp;
  /** Statuses of the next try. */
  next: number[];
  end(domain: Domain): Promise<void>;
}

describe("a node that is killed between the edge provider's yes and its own commit", function () {
  this.timeout(120_000 + ROUNDS * 90_000);
  const edge = new EdgeSimulator();
  let database: TestDatabase;
  let sql: pg.Client;
  let survivor: Spawned;
  let key: string;
  let organisationId: string;
  let companyId: string;

  const start = () =>
    launchService({
      SERVICE_DATABASE_URL: database.application,
      SERVICE_DATABASE_MIGRATION_URL: database.owner,
      SERVICE_SECRET: "a secret for tests that nobody else has, 0123456789",
      SERVICE_HTTP_PORT: "0",
      SERVICE_HTTP_ADDRESS: "127.0.0.1",
      SERVICE_PUBLIC_SCHEME: "http",
      SERVICE_BASE_DOMAIN: "kantoor.test",
      SERVICE_RATE_LIMIT_PER_KEY: "0",
      SERVICE_LOG_LEVEL: process.env["TEST_LOG"] ?? "error",
      SERVICE_EDGE_API_URL: edge.root,
      SERVICE_ACCOUNT_SYNC_HOURS: "0",
    });
  const call = (port: number, method: string, path: string, body?: unknown) =>
    send(port, method, path, { host: HOST, key, body });
  const own = (method: string, path: string, body?: unknown) => call(survivor.port as number, method, path, body);

  before(async () => {
    prepareRuntime();
    await edge.start();
    database = await cloneDatabase();
    sql = new pg.Client({ connectionString: database.owner });
    await sql.connect();
    await holdTimesOfDay(sql);
    const organisation = await createOrganisation(sql, { slug: "agency", name: "Agency" });
    organisationId = organisation.id;
    const { accountId } = await createMember(sql, organisationId, {
      email: "o@agency.test",
      fullName: "O",
      role: "owner",
      password: null,
    });
    const scopes = systemRoles().find(({ key: role }) => role === "admin")?.grants ?? [];
    key = (await createKey(sql, organisationId, "kt", { name: "a key", scopes, accountId })).value;
    survivor = await start();
    companyId = (await own("POST", "/companies", { name: "Bakkerij" })).body.id;
  });
  after(async () => {
    await survivor?.stop();
    await sql?.end();
    await database?.drop();
    await edge.stop();
  });

  async function connected(name: string): Promise<Domain> {
    const account = edge.state.account(name);
    const zone = edge.state.zone(account.id, name);
    const token = randomBytes(20).toString("hex");
    const made = await own("POST", "/edge/accounts", { name, api_token: token, edge_account_id: account.id });
    expect(made.status, made.text).to.equal(201);
    const insert = async (text: string, values: unknown[]) => (await sql.query(text, values)).rows[0].id as string;
    const id = await insert(
      `insert into domains (id, organisation_id, company_id, name, label, start_date)
       values (gen_random_uuid(), $1, $2, $3, $3, '2026-01-01') returning id`,
      [organisationId, companyId, name],
    );
    await insert(
      `insert into edge_zones (id, organisation_id, account_id, edge_zone_id, name, status, domain_id)
       values (gen_random_uuid(), $1, $2, $3, $4, 'active', $5) returning id`,
      [organisationId, made.body.id, zone.id, name, id],
    );
    return { id, name, zone: zone.id };
  }

  const at = ({ id }: Domain, below: string) => `/edge/domains/${id}/${below}`;
  const rules = ({ zone }: Domain) => edge.redirects.rules(zone);
  const set =
    (body: object = {}) =>
    (domain: Domain, port: number) =>
      call(port, "PUT", at(domain, "redirect"), { ...INTENT, ensure_origin: false, ...body });
  const ours = async (domain: Domain) => expect((await set()(domain, survivor.port as number)).status).to.equal(200);
  const theirs = async ({ zone, name }: Domain) =>
    void edge.redirects.rule(zone, { ...ruleOf(name, INTENT), id: "0f".repeat(16), description: "theirs" });
  const rule = (domain: Domain) => at(domain, `redirect/rules/${"0f".repeat(16)}`);

  /** One rule of ours, equal to the stored one. */
  const isRedirected =
    (target: string, others = 0) =>
    async (domain: Domain) => {
      const { body } = await own("POST", at(domain, "check"));
      expect(rules(domain), domain.name).to.have.length(1 + others);
      expect([
        body.redirect.last_status,
        body.redirect.target_url,
        body.redirect_live.target,
        body.redirect_live.differences,
      ]).to.deep.equal(["active", target, target, []]);
      expect([body.domain_status, body.domain_redirect_url, body.conflicts.length]).to.deep.equal(["redirect", target, others]);
    };
  const isFree = async (domain: Domain) => {
    const { body } = await own("POST", at(domain, "check"));
    expect([rules(domain), body.redirect, body.domain_status, body.conflicts]).to.deep.equal([[], null, "active", []]);
  };

  const writings: Writing[] = [
    { what: "first", call: set(), write: /^PUT/, next: [200], end: isRedirected(INTENT.target_url) },
    { what: "another", arrange: theirs, call: set(), write: /^POST/, next: [200], end: isRedirected(INTENT.target_url, 1) },
    {
      what: "change",
      arrange: ours,
      call: set({ target_url: ELSEWHERE }),
      write: /^PATCH/,
      next: [200],
      end: isRedirected(ELSEWHERE),
    },
    {
      what: "origin",
      call: set({ ensure_origin: true }),
      write: /^POST .*dns_records$/,
      next: [200],
      async end(domain) {
        await isRedirected(INTENT.target_url)(domain);
        const names = edge.state.records.filter(({ zone }) => zone === domain.zone).map(({ name }) => name);
        expect(names.sort()).to.deep.equal([domain.name, `www.${domain.name}`].sort());
      },
    },
    {
      what: "removal",
      arrange: ours,
      call: (domain, port) => call(port, "DELETE", at(domain, "redirect")),
      write: /^DELETE/,
      next: [204],
      end: isFree,
    },
    {
      what: "edit",
      arrange: theirs,
      call: (domain, port) => call(port, "PUT", rule(domain), { target_url: ELSEWHERE }),
      write: /^PATCH/,
      next: [200],
      async end(domain) {
        const { body } = await own("POST", at(domain, "check"));
        expect(body.conflicts).to.have.length(1);
        expect(body.conflicts[0]).to.include({ target_url: ELSEWHERE, description: "theirs" });
      },
    },
    // A deleted rule of another is not found any more, which is the requested state.
    {
      what: "deletion",
      arrange: theirs,
      call: (domain, port) => call(port, "DELETE", rule(domain)),
      write: /^DELETE/,
      next: [404],
      end: isFree,
    },
  ];

  it(`ends in the requested state by the next try, with no second rule or record, in ${ROUNDS} rounds of each operation`, async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const victim = await start();
      const work: { writing: Writing; domain: Domain }[] = [];
      for (const writing of writings) work.push({ writing, domain: await connected(`${writing.what}${round}.example`) });
      for (const { writing, domain } of work) await writing.arrange?.(domain);
      // In even rounds the answers never arrive; in odd ones the node dies as soon as they have.
      let release = () => {};
      const until = new Promise<void>((resolve) => (release = resolve));
      let carriedOut = 0;
      const undo = edge.failWhen(
        ({ method, path }) => {
          const found = work.find(({ writing, domain }) => path.includes(domain.zone) && writing.write.test(`${method} ${path}`));
          if (found) carriedOut += 1;
          return found !== undefined;
        },
        { kind: "wait", until },
      );
      const interrupted = work.map(({ writing, domain }) =>
        writing.call(domain, victim.port as number).then(
          ({ status }) => status,
          () => "gone",
        ),
      );
      for (let look = 0; carriedOut < writings.length; look++) {
        expect(look, `${carriedOut} writes reached the provider`).to.be.lessThan(1200);
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
      if (round % 2 === 1) release();
      await victim.kill();
      release();
      undo();
      const ended = await Promise.all(interrupted);
      if (round % 2 === 0) expect(ended).to.deep.equal(writings.map(() => "gone"));
      await Promise.all(
        work.map(async ({ writing, domain }) => {
          const next = await writing.call(domain, survivor.port as number);
          expect(writing.next.concat(round % 2 === 1 ? [404] : []), `${writing.what}: ${next.text}`).to.include(next.status);
          await writing.end(domain);
        }),
      );
    }
    expect(edge.complaints).to.deep.equal([]);
  });
});
