import { expect } from "chai";
import pg from "pg";
import { copiedKinds } from "../../../services/copies/gone-rows.ts";
import { filledAtOnce } from "../../support/fixture/fixture-filled.ts";
import { holdSchedules } from "../../support/jobs.ts";
import { type Callers, everyReference, type Reference } from "../../support/lists/answers.ts";
import { seeded } from "../../support/lists/seeded.ts";
import { BEGINNING, delta, removed } from "../../support/poller.ts";
import { startService, type TestService } from "../../support/service.ts";
import { rounds } from "../../support/tier.ts";

/** Rows of each list. */
const ROWS = 60;
/** Rounds over all lists; each is a whole walk through what has changed. */
const ROUNDS = rounds(300, 2_000);
/** Rounds with interference before each comparison, at a moment without writes. */
const BETWEEN = 4;

/** An instant as comparable text, whatever its number of decimals. */
const instantText = (text: string): string => {
  const [, whole = "", decimals = ""] = /^(.{19})(?:\.(\d+))?/.exec(text.replace(" ", "T")) ?? [];
  return `${whole}.${decimals.padEnd(6, "0")}`;
};

/** Tables whose rows have the client of their project. */
const OF_PROJECTS = ["interactions", "tasks", "time_entries"];

/**
 * Two writers of one table, who change, delete and add rows of it while it is read, and give rows and their projects to other clients, in
 * transactions that stay open for a while.
 */
class Interference {
  readonly #clients: readonly pg.Client[];
  readonly #organisation: string;
  readonly #table: string;
  readonly #changed: string;
  readonly #chance = seeded(46);
  /** Writers with an open transaction, and the pages that it stays open for. */
  readonly #open = new Map<pg.Client, number>();
  /** Rows that are added again after their deletion. */
  readonly #gone: unknown[] = [];
  #columns = "";
  made = 0;

  constructor(clients: readonly pg.Client[], organisation: string, { table, changed = "t.updated_at" }: Reference) {
    this.#clients = clients;
    this.#organisation = organisation;
    this.#table = table;
    this.#changed = changed.replace("t.", "");
  }

  /** What happens between two pages. */
  async step(): Promise<void> {
    for (const client of this.#clients) {
      const left = this.#open.get(client);
      if (left === undefined) {
        if (this.#chance.random() < 0.4) continue;
        await client.query("begin");
        await client.query("select set_config('app.organisation_id', $1, true)", [this.#organisation]);
        this.#open.set(client, this.#chance.pick([0, 0, 1, 3]));
      }
      await this.#write(client);
      if (left === undefined ? this.#open.get(client) === 0 : left <= 1) await this.#end(client);
      else if (left !== undefined) this.#open.set(client, left - 1);
    }
  }

  /** Commits everything. */
  async quiet(): Promise<void> {
    for (const client of this.#open.keys()) await this.#end(client);
  }

  async #end(client: pg.Client): Promise<void> {
    await client.query("commit");
    this.#open.delete(client);
  }

  async #write(client: pg.Client): Promise<void> {
    const some = `select id from ${this.#table} where organisation_id = $1 order by random() limit $2 for update skip locked`;
    const act = this.#chance.pick(["change", "change", "delete", "add", "move", "move"]);
    const limit = this.#chance.pick([1, 2, 5]);
    await client.query("savepoint act");
    try {
      if (act === "change" && this.#changed === "updated_at")
        await client.query(
          `update ${this.#table} set updated_at = statement_timestamp(), version = version + 1 where id in (${some})`,
          [this.#organisation, limit],
        );
      else if (act === "add" && this.#gone.length > 0) await this.#add(client);
      else if (act === "move" && this.#changed === "updated_at") await this.#move(client);
      else {
        const { rows } = await client.query(`delete from ${this.#table} t where id in (${some}) returning to_jsonb(t) as row`, [
          this.#organisation,
          limit,
        ]);
        this.#gone.push(...rows.map(({ row }) => row));
      }
      this.made += 1;
    } catch {
      // A row that others refer to stays, and one whose references are invented is not added again.
      await client.query("rollback to savepoint act");
    }
  }

  /** Gives a row to another client or to none, or a project with what is below it, or deletes that project. */
  async #move(client: pg.Client): Promise<void> {
    const isProject = OF_PROJECTS.includes(this.#table) && this.#chance.random() < 0.5;
    const table = isProject ? "projects" : this.#table;
    const one = `(select id from ${table} where organisation_id = $1 order by random() limit 1 for update skip locked)`;
    if (isProject && this.#chance.random() < 0.1)
      await client.query(`delete from projects where id = ${one}`, [this.#organisation]);
    else
      await client.query(
        `update ${table} set company_id = case when $2 then null else
             (select id from companies where organisation_id = $1 order by random() limit 1) end,
           updated_at = statement_timestamp(), version = version + 1 where id = ${one}`,
        [this.#organisation, this.#chance.random() < 0.2],
      );
  }

  async #add(client: pg.Client): Promise<void> {
    if (this.#columns === "") {
      const { rows } = await client.query(
        `select string_agg(quote_ident(attname), ', ') as names from pg_attribute
          where attrelid = $1::regclass and attnum > 0 and not attisdropped and attgenerated = ''`,
        [this.#table],
      );
      this.#columns = rows[0].names;
    }
    const gone = this.#gone.pop() as object;
    // Links went with the row, and only their triggers set what says that it has some.
    const row = { ...gone, ...("linked" in gone && { linked: false }), [this.#changed]: null };
    await client.query(
      `insert into ${this.#table} (${this.#columns}) select ${this.#columns} from jsonb_populate_record(null::${this.#table},
         $1::jsonb || jsonb_build_object('id', gen_random_uuid(), '${this.#changed}', statement_timestamp()))`,
      [JSON.stringify(row)],
    );
  }
}

describe("a copy of every list by cursor, Updated-Until and the rows that are gone", function () {
  this.timeout(900_000);
  const chance = seeded(2026);
  let service: TestService;
  let references: readonly Reference[];
  let organisation: string;
  let callers: Callers;
  const clients: pg.Client[] = [];

  before(async () => {
    service = await startService({ SERVICE_LOG_LEVEL: "error" });
    // A job would execute the runs of rules that wait, and change their rows.
    await holdSchedules(service, "%");
    references = await everyReference();
    const tenant = await service.tenant();
    const [few, many, client] = [await tenant.member("admin"), await tenant.member("admin"), await tenant.member("client")];
    callers = { owner: tenant.owner, few, many, client };
    organisation = tenant.organisation.id;
    const superuser = new pg.Client({ connectionString: service.database.superuser });
    await superuser.connect();
    await filledAtOnce(superuser, async () => {
      for (const { fill } of references) await fill(superuser, organisation, callers, ROWS, chance);
    });
    await superuser.query("vacuum analyze");
    await superuser.end();
    for (let n = 0; n < 2; n++) {
      const client = new pg.Client({ connectionString: service.database.application });
      await client.connect();
      // The other writer, whose lock this one may wait for, waits for this one in turn.
      await client.query("set lock_timeout = '100ms'");
      clients.push(client);
    }
  });
  after(async () => {
    for (const client of clients) await client.end();
    await service.stop();
  });

  /** The rows that a caller sees now, with the instant of their last change. */
  async function seenNow(
    { table, visible, changed = "t.updated_at" }: Reference,
    caller: keyof Callers,
  ): Promise<Map<string, string>> {
    const condition = visible && caller !== "owner" ? visible(callers[caller].membershipId) : "true";
    const { rows } = await service.sql.query(
      `select t.id, to_char(${changed} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US') as changed from ${table} t
        where t.organisation_id = $1 and ${condition}`,
      [organisation],
    );
    return new Map(rows.map(({ id, changed }) => [id, changed]));
  }

  it("equals the list, whatever is changed, deleted, added and given to other clients between its pages", async () => {
    let walked = 0;
    let [made, left] = [0, 0];
    for (const reference of references) {
      const asking = reference.asking ?? (reference.visible ? (["owner", "few", "many"] as const) : (["owner"] as const));
      for (const caller of asking) {
        const interference = new Interference(clients, organisation, reference);
        const copy = new Map<string, string>();
        const kind = [...copiedKinds().values()].find(({ table }) => table === reference.table)?.kind;
        let since = BEGINNING;
        const round = async (interferes: boolean) => {
          const read = async (path: string) => {
            const answer = await callers[caller].get(path);
            if (interferes) await interference.step();
            return answer;
          };
          const path = `${reference.path}?${(reference.everyone ?? "").replace(/^&/, "")}`;
          const sort = chance.pick(Object.keys(reference.orders(null)));
          const query = `&count=false${sort && `&sort=${sort}`}`;
          const { items, until } = await delta(read, path, since, { limit: chance.pick([3, 10, 25, 200]), query });
          // Of a list that does not show when its rows changed, only their ids are compared.
          const changed = (reference.changed ?? "t.updated_at").replace("t.", "");
          const begin = since;
          for (const item of items as unknown as Record<string, string>[])
            copy.set(item["id"] as string, instantText(item[changed] ?? ""));
          since = until;
          if (kind !== undefined && begin !== BEGINNING)
            for (const id of await removed(read, kind, begin, chance.pick([5, 50, 200]))) if (copy.delete(id)) left += 1;
          walked += 1;
        };
        const share = Math.ceil(ROUNDS / references.length / asking.length);
        for (let done = 0; done < share; done += BETWEEN + 1) {
          for (let n = 0; n < BETWEEN; n++) await round(true);
          await interference.quiet();
          await round(false);
          const now = await seenNow(reference, caller);
          const isTimed = ![...copy.values()].includes(".000000");
          const missed = [...now].filter(([id, changed]) => (isTimed ? copy.get(id) !== changed : !copy.has(id)));
          expect(missed, `${reference.path} as ${caller} after ${done} rounds`).to.deep.equal([]);
          const kept = kind === undefined ? [] : [...copy.keys()].filter((id) => !now.has(id));
          expect(kept, `rows that are gone from ${reference.path} as ${caller} after ${done} rounds`).to.deep.equal([]);
        }
        made += interference.made;
      }
    }
    expect(walked).to.be.at.least(ROUNDS);
    expect(made).to.be.greaterThan(walked);
    expect(left).to.be.greaterThan(references.length);
  });
});
