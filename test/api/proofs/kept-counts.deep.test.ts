import { expect } from "chai";
import pg from "pg";
import { filledAtOnce } from "../../support/fixture/fixture-filled.ts";
import { sendSheet } from "../../support/impex.ts";
import { holdSchedules } from "../../support/jobs.ts";
import { type Callers, everyReference, type Reference } from "../../support/lists/answers.ts";
import { KEPT, keptLists, wrongCounts } from "../../support/lists/kept.ts";
import { seeded } from "../../support/lists/seeded.ts";
import { startService, type Tenant, type TestService } from "../../support/service.ts";
import { rounds } from "../../support/tier.ts";

/** Rows of each list and organisation at the beginning. */
const ROWS = 60;
const ROUNDS = rounds(8, 150);
/** Rounds between two comparisons of the totals over HTTP. */
const BETWEEN = Math.floor(ROUNDS / 3);
const FOLD = "select fold_counts()";

/** Columns whose values no two rows share, and what a copy of a row has there. */
const OWN: Record<string, Record<string, unknown>> = {
  companies: { client_number: null },
  contacts: { account_id: null },
  domains: { name: (n: number) => `copy-${n}.test`, label: (n: number) => `copy-${n}.test` },
  interactions: { mail_message_id: null },
  invoices: { number: null, public_token: null },
  quotes: { number: null, public_token: null },
};
/** The column whose change moves a row to another count, with the values that it takes. */
const MOVED: Record<string, string> = { time_entries: "user_id", interactions: "conversation_id" };
const STATUS = ["companies", "domains", "interactions", "invoices", "projects", "quotes", "subscriptions", "tasks"];

const ACTS_OF_WRITERS = ["copy", "again", "move", "delete"] as const;
type Act = (typeof ACTS_OF_WRITERS)[number];
/** Every act on every table. */
const PAIRS = KEPT.flatMap((table) => ACTS_OF_WRITERS.map((act): [string, Act] => [table, act]));

/** What people do. */
const ACTS = ["create", "import", "status", "delete", "bulk"] as const;

/** A copy in an order of chance. */
function shuffled<T>(values: readonly T[], random: () => number): T[] {
  return values
    .map((value) => [random(), value] as const)
    .toSorted(([a], [b]) => a - b)
    .map(([, value]) => value);
}

/** What one writer does in transactions that stay open for a while, some of which it takes back. */
class Writer {
  readonly #client: pg.Client;
  readonly #organisation: string;
  readonly #chance;
  readonly #gone: { table: string; row: Record<string, unknown> }[] = [];
  #isOpen = false;
  /** What it does next, in an order of its own. */
  #next: [string, Act][] = [];
  /** What it has done, by act and table. */
  readonly made = new Map<string, number>();

  constructor(client: pg.Client, organisation: string, seed: number) {
    this.#client = client;
    this.#organisation = organisation;
    this.#chance = seeded(seed);
  }

  async step(columns: ReadonlyMap<string, string>): Promise<void> {
    const { pick, random } = this.#chance;
    if (!this.#isOpen) {
      await this.#client.query("begin");
      await this.#client.query("select set_config('app.organisation_id', $1, true)", [this.#organisation]);
      this.#isOpen = true;
    }
    if (this.#next.length === 0) this.#next = shuffled(PAIRS, random);
    const [table, act] = this.#next.pop() as [string, Act];
    await this.#client.query("savepoint act");
    try {
      const rows = await this.#write(act, table, columns.get(table) as string);
      if (random() < 0.2) await this.#client.query("rollback to savepoint act");
      else if (rows > 0) this.made.set(`${act} ${table}`, (this.made.get(`${act} ${table}`) ?? 0) + rows);
    } catch {
      // Another writer has the row, others refer to it, or its references were invented.
      await this.#client.query("rollback to savepoint act");
    }
    expect(await wrongCounts(this.#client), `in the transaction, after ${act} of ${table}`).to.deep.equal([]);
    if (random() < 0.4) await this.end(pick(["commit", "commit", "rollback"]));
  }

  /** Deletes a row of a table, alone: next to others, waits for locks can take back each of its deletions. */
  async deleteAlone(table: string, columns: string): Promise<void> {
    for (let tries = 0; tries < 200 && !this.made.has(`delete ${table}`); tries++) {
      this.#next.push([table, "delete"]);
      await this.step(new Map([[table, columns]]));
    }
    await this.end();
  }

  async end(how: "commit" | "rollback" = "commit"): Promise<void> {
    if (this.#isOpen) await this.#client.query(how);
    this.#isOpen = false;
  }

  /** Returns the number of rows. */
  async #write(act: Act, table: string, columns: string): Promise<number> {
    const { pick, random } = this.#chance;
    const limit = pick([1, 2, 5, 20]);
    const some = `select id from ${table} where organisation_id = $1 order by random() limit ${limit} for update skip locked`;
    const insert = (rows: readonly object[]) =>
      this.#client.query(
        `insert into ${table} (${columns}) select ${columns} from jsonb_populate_recordset(null::${table}, $1::jsonb)`,
        [JSON.stringify(rows)],
      );
    if (act === "delete") {
      const { rows } = await this.#client.query(`delete from ${table} t where id in (${some}) returning to_jsonb(t) as row`, [
        this.#organisation,
      ]);
      this.#gone.push(...rows.map(({ row }) => ({ table, row })));
      return rows.length;
    }
    if (act === "again") {
      const at = this.#gone.findIndex((one) => one.table === table);
      const [one] = at === -1 ? [] : this.#gone.splice(at, 1);
      return one ? ((await insert([one.row])).rowCount ?? 0) : 0;
    }
    if (act === "copy") {
      const { rows } = await this.#client.query(`select to_jsonb(t) as row from ${table} t where id in (${some})`, [
        this.#organisation,
      ]);
      const copies = rows.map(({ row }) => {
        const own = Object.entries(OWN[table] ?? {}).map(([name, value]) => [
          name,
          typeof value === "function" ? value(Math.floor(random() * 1e9)) : value,
        ]);
        return { ...row, ...Object.fromEntries(own), id: crypto.randomUUID() };
      });
      return (await insert(copies)).rowCount ?? 0;
    }
    const column = STATUS.includes(table) && random() < 0.7 ? "status" : MOVED[table];
    if (column === undefined) return 0;
    const { rowCount } = await this.#client.query(
      `update ${table} t set ${column} = (select o.${column} from ${table} o where o.organisation_id = $1 order by random() limit 1)
        where id in (${some})`,
      [this.#organisation],
    );
    return rowCount ?? 0;
  }
}

describe("kept counts under random writes", function () {
  this.timeout(1_800_000);
  const chance = seeded(47);
  let service: TestService;
  let references: readonly Reference[];
  const tenants: Tenant[] = [];
  const clients: pg.Client[] = [];
  const writers: Writer[] = [];
  let superuser: pg.Client;
  let columns: ReadonlyMap<string, string>;

  before(async () => {
    service = await startService();
    await holdSchedules(service, "%");
    references = (await everyReference()).filter(({ table }) => KEPT.includes(table));
    superuser = new pg.Client({ connectionString: service.database.superuser });
    await superuser.connect();
    const callers: Callers[] = [];
    for (let n = 0; n < 4; n++) {
      const tenant = await service.tenant();
      const [few, many, client] = [await tenant.member("admin"), await tenant.member("admin"), await tenant.member("client")];
      tenants.push(tenant);
      callers.push({ owner: tenant.owner, few, many, client });
    }
    await filledAtOnce(superuser, async () => {
      for (const [n, { organisation }] of tenants.entries())
        for (const { fill } of await everyReference())
          await fill(superuser, organisation.id, callers[n] as Callers, ROWS, chance);
    });
    const { rows } = await superuser.query(
      `select attrelid::regclass::text as name, string_agg(quote_ident(attname), ', ' order by attnum) as columns from pg_attribute
        where attrelid = any ($1::regclass[]) and attnum > 0 and not attisdropped and attgenerated = '' and attidentity = '' group by 1`,
      [KEPT],
    );
    columns = new Map(rows.map(({ name, columns }) => [name, columns]));
    for (const [n, tenant] of [...tenants.slice(0, 2), ...tenants.slice(0, 2)].entries()) {
      const client = new pg.Client({ connectionString: service.database.application });
      await client.connect();
      await client.query("set lock_timeout = '200ms'");
      clients.push(client);
      writers.push(new Writer(client, tenant.organisation.id, 100 + n));
    }
  });
  after(async () => {
    for (const client of clients) await client.end();
    await superuser?.end();
    await service.stop();
  });

  const ids = async (table: string, tenant: Tenant, limit: number): Promise<string[]> =>
    (
      await service.sql.query(`select id from ${table} where organisation_id = $1 order by random() limit $2`, [
        tenant.organisation.id,
        limit,
      ])
    ).rows.map(({ id }) => id);

  /** One request of a person, whatever it answers. @param round names the rows that an import adds */
  async function request(tenant: Tenant, round: string, act: (typeof ACTS)[number]): Promise<number> {
    const { owner } = tenant;
    const kind = chance.pick(["company", "task"] as const);
    const [path, table] = kind === "company" ? ["/companies", "companies"] : ["/tasks", "tasks"];
    const name = kind === "company" ? "name" : "title";
    const [one] = await ids(table, tenant, 1);
    const { rows } = await service.sql.query(`select status from ${table} where organisation_id = $1 order by random() limit 1`, [
      tenant.organisation.id,
    ]);
    const sent = {
      create: () => owner.post(path, { [name]: "One more" }),
      status: () => owner.patch(`${path}/${one}`, { status: rows[0]?.status }),
      delete: () => owner.delete(`${path}/${one}`),
      import: () =>
        sendSheet(
          owner,
          kind,
          `${kind === "company" ? "Naam" : "Titel"}\n${Array.from({ length: 30 }, (_, n) => `Row ${round} ${n}`).join("\n")}\n`,
          "?dry_run=false",
        ),
      bulk: async () => owner.post(`/bulk/${kind}/delete`, { ids: await ids(table, tenant, 10) }),
    };
    return (await sent[act]()).status;
  }

  /** The totals over HTTP, next to the rows that are there. */
  async function compareTotals(tenant: Tenant): Promise<void> {
    const lists = await keptLists(tenant.owner.accountId);
    for (const { path, table, everyone = "" } of references) {
      const total = async (query: string) => (await tenant.owner.get(`${path}?limit=1${query}`)).body.total as number;
      const seen =
        table === "interactions"
          ? "and t.leads and (t.status = 'logged' or t.owner_account_id = $2)"
          : "and $2::uuid is not null";
      const counted = async (condition: string, value: unknown) => {
        const values = [tenant.organisation.id, tenant.owner.accountId, value];
        const text = `select count(*)::int as rows from ${table} t where t.organisation_id = $1 ${seen} and ${condition}`;
        return (await service.sql.query(text, values)).rows[0].rows as number;
      };
      const all = `&${everyone.replace(/^&/, "")}`;
      expect(await total(all), path).to.equal(await counted("$3::text is null", null));
      const { by } = lists.find((list) => list.table === table) as { by: string | null };
      if (by === null) continue;
      const values = await service.sql.query(`select distinct ${by}::text as value from ${table} where organisation_id = $1`, [
        tenant.organisation.id,
      ]);
      for (const { value } of values.rows)
        expect(await total(`${all}&${by}=${value}`), `${path} ${by}=${value}`).to.equal(
          await counted(`t.${by}::text = $3`, value),
        );
    }
  }

  it("are exact in every transaction and after every commit, with imports, deletions and folds in between", async () => {
    const [first, second, busy, doomed] = tenants as [Tenant, Tenant, Tenant, Tenant];
    const answers = new Map<number, number>();
    for (let round = 0; round < ROUNDS; round++) {
      // A request would wait for rows that an open transaction has: those of people are in an organisation of their own.
      const asked = [0, 1].map(async (n) => {
        const status = await request(busy, `${round}-${n}`, chance.pick(ACTS));
        answers.set(status, (answers.get(status) ?? 0) + 1);
      });
      await Promise.all([
        ...writers.map((writer) => writer.step(columns)),
        ...asked,
        ...(chance.random() < 0.4 ? [service.sql.query(FOLD), superuser.query(FOLD)] : []),
      ]);
      expect(await wrongCounts(service.sql), `after round ${round}`).to.deep.equal([]);
      if (round === Math.floor(ROUNDS / 2)) await remove(doomed);
      if (round % BETWEEN < BETWEEN - 1) continue;
      for (const writer of writers) await writer.end();
      for (const tenant of [first, second, busy]) await compareTotals(tenant);
    }
    for (const writer of writers) await writer.end();
    for (const table of KEPT)
      if (!writers.some(({ made }) => made.has(`delete ${table}`)))
        await writers[0]?.deleteAlone(table, columns.get(table) as string);
    expect(await wrongCounts(service.sql)).to.deep.equal([]);
    const made = new Set(writers.flatMap((writer) => [...writer.made.keys()]));
    for (const table of KEPT)
      expect(
        [...made].filter((act) => act.endsWith(` ${table}`)).map((act) => act.split(" ")[0]),
        table,
      ).to.include("delete");
    for (const table of STATUS) expect(made).to.include(`move ${table}`);
    expect((answers.get(200) ?? 0) + (answers.get(201) ?? 0) + (answers.get(204) ?? 0)).to.be.greaterThan(ROUNDS);
  });

  /** Removes an organisation with all of its rows: once in vain, then for good. */
  async function remove({ organisation }: Tenant): Promise<void> {
    for (const how of ["rollback", "commit"]) {
      await superuser.query("begin");
      await superuser.query("set local session_replication_role = replica");
      for (const table of KEPT) await superuser.query(`delete from ${table} where organisation_id = $1`, [organisation.id]);
      await superuser.query("delete from organisations where id = $1", [organisation.id]);
      expect(await wrongCounts(superuser), `before ${how}`).to.deep.equal([]);
      await superuser.query(how);
      expect(await wrongCounts(superuser), `after ${how}`).to.deep.equal([]);
    }
    await superuser.query(FOLD);
    const { rows } = await superuser.query("select list from kept_counts where organisation_id = $1", [organisation.id]);
    expect(rows).to.deep.equal([]);
  }
});
