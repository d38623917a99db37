import { expect } from "chai";
import pg from "pg";
import { createKey, createMember, createOrganisation } from "../../../operator/organisations.ts";
import { cloneDatabase, type TestDatabase } from "../../support/database.ts";
import { rounds } from "../../support/tier.ts";

const APPLICATION = "kantoor_app";

/** What may show something of an organisation that the caller is not bound to, each with the reason. */
const SHOWS: Record<string, string> = {
  "resolve_host unbound": "asked before an organisation is known: the one whose host the caller names",
  "resolve_host bound": "the same: it is given one host, not asked for a list",
  "jobs.organisations unbound": "the one a worker names before it enters it; none by itself (conventions §20)",
  "jobs.organisations bound": "the same",
  "jobs.begin unbound": "the event of the one job whose id the worker holds, before it enters the organisation",
  "jobs.relay unbound": "the queue is the installation's: kinds and ids of jobs, handed to where Agenda looks",
  "jobs.relay bound": "the same, nudged by a request",
  "jobs.finish unbound": "the next job of a lane: kinds and ids",
  "jobs.finish bound": "the same",
  "jobs.mend unbound": "jobs a queue has lost: kinds and ids",
  "jobs.mend bound": "the same",
  "jobs.fan_out unbound": "jobs of a moment: kinds and ids",
  "jobs.fan_out bound": "the same",
  "jobs.fan_out_to unbound": "jobs of a moment: kinds and ids",
  "jobs.fan_out_to bound": "the same",
  "jobs.fan_out_due unbound": "jobs of a moment: kinds and ids",
  "jobs.fan_out_due bound": "the same",
};

/** What may change rows of an organisation that the caller is not bound to. */
const CHANGES: Record<string, string> = {
  end_sessions: "an account is global, and so are its sessions (access §1.1)",
  strip_account: "an account whose address was never proven loses every way in (access §4.4)",
  "jobs.clear_expired": "rows by age, of every organisation (conventions §20)",
  "jobs.expire_trials": "trials by their end, of every organisation (conventions §20)",
  "jobs.forget": "jobs and events by age",
  "jobs.relay": "takes what was committed out of every organisation's outbox",
  "jobs.finish_all": "the events of the jobs whose ids the worker holds, once they have been had",
  "jobs.ship_permissions": "a permission that ships is granted once in every organisation (conventions §4.4)",
  fold_counts: "moves the changes of counts to the counts, of every organisation, and changes no count",
  "jobs.account_tokens_old": "links by age, of every organisation",
  "jobs.idempotency_keys_old": "answers by age, of every organisation (conventions §20)",
  "jobs.mails_old": "mail by age, of every organisation",
  "jobs.outbox_old": "events by age, of every organisation",
  "jobs.sms_messages_old": "text messages by age, of every organisation",
  clear_sign_ins: "links and challenges by age, of every organisation",
  remove_old_mails: "mail by age, of every organisation",
  remove_old_sms: "text messages by age, of every organisation",
};

interface Function {
  name: string;
  names: string[];
  types: string[];
}

const FUNCTIONS = `
  select case when n.nspname = 'public' then '' else n.nspname || '.' end || p.proname as name,
         coalesce(p.proargnames[1:p.pronargs], '{}') as names,
         array(select format_type(t, null) from unnest(p.proargtypes) with ordinality a(t, at) order by at) as types
    from pg_proc p join pg_namespace n on n.oid = p.pronamespace
   where n.nspname in ('public', 'jobs') and p.prokind = 'f' and p.prorettype <> 'trigger'::regtype
     and has_function_privilege($1, p.oid, 'execute')
     and not exists (select 1 from pg_depend d where d.objid = p.oid and d.deptype = 'e')
   order by 1, 3`;

/** Everything an organisation has, one line per row. */
const ROWS = `
  select string_agg(format('select %L, x::text as row from %s x where %s = $1', c.oid::regclass, c.oid::regclass,
      case c.relname when 'organisations' then 'x.id' else 'x.organisation_id' end), ' union all ') as text
    from pg_class c where c.relkind in ('r', 'p') and c.relnamespace = 'public'::regnamespace
     and (c.relname = 'organisations' or exists (
       select 1 from pg_attribute a where a.attrelid = c.oid and a.attname = 'organisation_id' and not a.attisdropped))`;

describe("functions of the migrated database, called as the application role", function () {
  // Every function is called, and after each every table is looked at.
  this.timeout(240_000);
  let database: TestDatabase;
  let superuser: pg.Client;
  let rowsOf: string;
  let untouched: string;
  let functions: Function[];
  const mine: Record<string, string> = {};
  const theirs: Record<string, string> = {};
  const shown = new Set<string>();
  const changed = new Set<string>();

  /** Fills one organisation with a row of everything the functions read. Returns the ids by subject. */
  async function furnish(slug: string, ids: Record<string, string>): Promise<void> {
    const one = async (text: string, values: unknown[]): Promise<string> => (await superuser.query(text, values)).rows[0].id;
    const organisation = (ids["organisation"] = (await createOrganisation(superuser, { slug, name: `Name ${slug}` })).id);
    const { accountId, membershipId } = await createMember(superuser, organisation, {
      email: `somebody@${slug}.test`,
      fullName: `Somebody ${slug}`,
      role: "owner",
    });
    const key = await createKey(superuser, organisation, "kt", { name: slug, scopes: ["x"], accountId });
    Object.assign(ids, { account: accountId, membership: membershipId, key: key.id });
    await superuser.query("update accounts set is_verified = false where id = $1", [accountId]);
    ids["session"] = await one(
      `insert into sessions (organisation_id, account_id, token_hash, expires_at) values ($1, $2, sha256(gen_random_uuid()::text::bytea),
        now() + interval '1 day') returning id`,
      [organisation, accountId],
    );
    ids["mail"] = await one(
      `insert into mails (id, organisation_id, kind, status, to_address) values (gen_random_uuid(), $1, 'reset', 'kept', $2) returning id`,
      [organisation, `kept@${slug}.test`],
    );
    ids["company"] = await one(
      "insert into companies (id, organisation_id, name, status) values (gen_random_uuid(), $1, $2, 'active') returning id",
      [organisation, `Company ${slug}`],
    );
    ids["contact"] = await one(
      "insert into contacts (id, organisation_id, first_name, last_name) values (gen_random_uuid(), $1, 'Contact', $2) returning id",
      [organisation, slug],
    );
    ids["group"] = await one(
      "insert into company_groups (id, organisation_id, name) values (gen_random_uuid(), $1, $2) returning id",
      [organisation, `Group ${slug}`],
    );
    await superuser.query("insert into company_group_companies (organisation_id, group_id, company_id) values ($1, $2, $3)", [
      organisation,
      ids["group"],
      ids["company"],
    ]);
    ids["event"] = await one(
      `insert into outbox (id, organisation_id, event, entity_type, entity_id, payload)
        values (gen_random_uuid(), $1, 'company.created', 'company', $2, $3) returning id`,
      [organisation, ids["company"], JSON.stringify({ name: `Company ${slug}` })],
    );
    const data = (id: string) => JSON.stringify({ id, organisation, payload: {}, event: ids["event"] });
    for (const [name, handed] of [
      ["job", true],
      ["nextJob", false],
    ] as const) {
      const id = await one("select gen_random_uuid() as id", []);
      ids[name] = id;
      await superuser.query(
        `insert into jobs.ordered (id, name, key, event_id, data, run_at, handed_at)
          values ($1, 'x > company.created', $2, $3, $4, now(), case when $5 then now() - interval '1 hour' end)`,
        [id, ids["company"], ids["event"], data(id), handed],
      );
    }
    // Rows old enough for housekeeping.
    await superuser.query("update organisations set plan = 'trial', plan_ends_at = now() - interval '1 day' where id = $1", [
      organisation,
    ]);
    const old = "now() - interval '90 days'";
    await superuser.query(
      `insert into mails (id, organisation_id, kind, status, to_address, created_at) values (gen_random_uuid(), $1, 'reset', 'sent', 'a@b.nl', ${old})`,
      [organisation],
    );
    await superuser.query(
      `insert into sms_messages (id, organisation_id, kind, phone, created_at) values (gen_random_uuid(), $1, 'x', '+31612345678', ${old})`,
      [organisation],
    );
    await superuser.query(
      `insert into account_tokens (id, organisation_id, account_id, kind, token_hash, email, password_digest, expires_at)
        values (gen_random_uuid(), $1, $2, 'reset', sha256(gen_random_uuid()::text::bytea), 'a@b.nl', '', ${old})`,
      [organisation, accountId],
    );
    await superuser.query(
      "insert into idempotency_keys (organisation_id, principal_id, path, key, body_hash, created_at) values ($1, $2, '/', 'k', '', now() - interval '9 days')",
      [organisation, accountId],
    );
    await superuser.query(
      `insert into outbox (id, organisation_id, event, entity_type, entity_id, payload, relayed_at)
        values (gen_random_uuid(), $1, 'company.created', 'company', gen_random_uuid(), '{}', ${old})`,
      [organisation],
    );
    await superuser.query(
      `insert into outbox (id, organisation_id, event, entity_type, entity_id, payload)
        values (gen_random_uuid(), $1, 'company.updated', 'company', $2, '{}')`,
      [organisation, ids["company"]],
    );
  }

  before(async () => {
    database = await cloneDatabase();
    superuser = new pg.Client({ connectionString: database.superuser, options: "-c plan_cache_mode=force_generic_plan" });
    await superuser.connect();
    await furnish("mine", mine);
    await furnish("theirs", theirs);
    await superuser.query(
      "insert into jobs.definitions (name, service, event) values ('x > company.updated', 'x', 'company.updated')",
    );
    await superuser.query("insert into jobs.shipped_permissions (permission) values ('known')");
    functions = (await superuser.query<Function>(FUNCTIONS, [APPLICATION])).rows;
    rowsOf = (await superuser.query<{ text: string }>(ROWS)).rows[0]?.text as string;
    untouched = await theirRows();
    for (const one of functions)
      for (const bound of [false, true]) for (const given of argumentsOf(one)) await attempt(one, bound, given);
  });
  after(async () => {
    await superuser.end();
    await database.drop();
  });

  /** Values an attacker would try for an argument, by its name and type. */
  function valuesFor(name: string, type: string): unknown[] {
    if (name === "sort") return ["name"];
    if (name === "q") return ["", "theirs"];
    if (name === "skip") return [0];
    if (name.startsWith("f_")) return [null];
    if (name === "defaults") return [JSON.stringify({ owner: ["shipped"] })];
    if (name === "catalogue") return [["known", "shipped"]];
    if (name === "job_name") return ["proof.moment"];
    if (name === "after") return [null];
    if (name === "days") return [0];
    if (type === "uuid") return [null, ...Object.values(theirs)];
    if (type === "uuid[]") return [null, "{}", Object.values(theirs)];
    if (type === "text") return [null, "theirs"];
    if (type === "boolean") return [true, false];
    if (type === "integer" || type === "bigint") return [100];
    if (type === "timestamp with time zone") return ["2030-01-01T00:00:00Z"];
    return [null];
  }

  /** Calls of one function: every combination of values, or in the first tier some, evenly chosen, with the first and the last. */
  const argumentsOf = ({ names, types }: Function): unknown[][] => {
    const all = types.reduce<unknown[][]>(
      (made, type, at) => made.flatMap((before) => valuesFor(names[at] ?? "", type).map((value) => [...before, value])),
      [[]],
    );
    const most = rounds(30, all.length);
    const isChosen = (at: number) => Math.floor((at * most) / all.length) !== Math.floor(((at - 1) * most) / all.length);
    return all.length <= most ? all : all.filter((_, at) => isChosen(at) || at === all.length - 1);
  };

  /** It looks into every table: planned once, for that takes longer than to run it. */
  const theirRows = async (): Promise<string> => {
    const text = `select * from (${rowsOf}) t order by 1, 2`;
    return JSON.stringify((await superuser.query({ name: "their_rows", text, values: [theirs["organisation"]] })).rows);
  };
  /** As superuser again: whether the running transaction has written at all. PostgreSQL numbers only those that have. */
  const hasWritten = async (): Promise<boolean> => {
    const answers = await superuser.query("reset role; select pg_current_xact_id_if_assigned() is not null as written");
    return (answers as unknown as pg.QueryResult[])[1]?.rows[0].written;
  };

  /** One call in a transaction that is rolled back: does the answer contain anything of theirs, and are their rows unchanged? */
  async function attempt({ name, types }: Function, bound: boolean, given: unknown[]): Promise<void> {
    await superuser.query(
      `begin; set local role ${APPLICATION}; set local app.organisation_id = '${bound ? mine["organisation"] : ""}'`,
    );
    try {
      const slots = types.map((type, at) => `$${at + 1}::${type}`).join(", ");
      const { rows } = await superuser.query(`select f::text as answer from ${name}(${slots}) f`, given);
      const answer = rows.map((row) => row.answer).join("\n");
      const asked = JSON.stringify(given);
      const secrets = [...Object.values(theirs), "Company theirs", "@theirs.test", "Name theirs", "Group theirs"];
      if (secrets.some((secret) => answer.includes(secret) && !asked.includes(secret)))
        shown.add(`${name} ${bound ? "bound" : "unbound"}`);
      if ((await hasWritten()) && (await theirRows()) !== untouched) changed.add(name.replace(/_[0-9a-f]{8}$/, ""));
    } catch (error) {
      // A refusal of PostgreSQL shows nothing; an invalid call is a mistake of this test.
      const { code = "" } = error as { code?: string };
      if (code === "" || (code.startsWith("42") && code !== "42501")) throw error;
    } finally {
      await superuser.query("rollback");
    }
  }

  it("are all there", () => {
    expect(functions.map(({ name }) => name)).to.include.members(["kept_mails", "jobs.organisations", "enter_organisation"]);
    expect(functions.length).to.be.above(20);
  });

  it("say of an account whether it is at home elsewhere only to an organisation it belongs to", async () => {
    const asked = async (organisation: string) => {
      await superuser.query(`begin; set local role ${APPLICATION}`);
      await superuser.query("select set_config('app.organisation_id', $1, true)", [organisation]);
      const question = "select is_live_elsewhere($1, $2) as answer";
      const { rows } = await superuser.query(question, [theirs["account"], mine["organisation"]]);
      await superuser.query("rollback");
      return rows[0].answer;
    };
    expect([await asked(""), await asked(mine["organisation"] as string)]).to.deep.equal([false, false]);
    await superuser.query("insert into memberships (organisation_id, account_id) values ($1, $2)", [
      mine["organisation"],
      theirs["account"],
    ]);
    expect([await asked(""), await asked(mine["organisation"] as string)]).to.deep.equal([false, true]);
  });

  it("show nothing of an organisation the caller is not bound to, but for those listed, each with its reason", () => {
    expect([...shown].sort()).to.deep.equal(Object.keys(SHOWS).sort());
  });

  it("change nothing of an organisation the caller is not bound to, but for those listed, each with its reason", () => {
    expect([...changed].sort()).to.deep.equal(Object.keys(CHANGES).sort());
  });
});
