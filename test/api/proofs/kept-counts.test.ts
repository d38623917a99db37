import { expect } from "chai";
import pg from "pg";
import { sendSheet } from "../../support/impex.ts";
import { KEPT, type KeptList, keptLists, wrongCounts } from "../../support/lists/kept.ts";
import { sharedService, type Tenant, type TestService } from "../../support/service.ts";

const FOLD = "select fold_counts() as changes";

describe("the totals of lists with kept counts", function () {
  this.timeout(300_000);
  let service: TestService;
  let tenant: Tenant;
  let lists: KeptList[];
  /** Two connections of the application, bound to the organisation. */
  const writers: pg.Client[] = [];

  before(async () => {
    service = await sharedService();
    tenant = await service.tenant();
    lists = await keptLists(tenant.owner.accountId);
    for (let n = 0; n < 2; n++) {
      const writer = new pg.Client({ connectionString: service.database.application });
      await writer.connect();
      await writer.query("select set_config('app.organisation_id', $1, false)", [tenant.organisation.id]);
      writers.push(writer);
    }
  });
  after(async () => {
    for (const writer of writers) await writer.end();
    await service.stop();
  });

  const totalOf = async (sql: pg.ClientBase, table: string, filters?: Record<string, unknown>): Promise<number> => {
    const { text, values } = lists.find((list) => list.table === table)?.page(tenant.organisation.id, filters) ?? { text: "" };
    return Number((await sql.query(text, values)).rows[0].total);
  };
  const add = (sql: pg.ClientBase, names: readonly string[], status = "active") =>
    sql.query(
      "insert into companies (id, organisation_id, name, status) select gen_random_uuid(), $1, name, $3 from unnest($2::text[]) name",
      [tenant.organisation.id, names, status],
    );

  it("read a few rows of counts in place of the list's table", async () => {
    expect([...new Set(lists.map(({ table }) => table))].sort()).to.deep.equal(KEPT);
    for (const { table, by, page } of lists) {
      const texts = [page(tenant.organisation.id).text, ...(by ? [page(tenant.organisation.id, { [by]: null }).text] : [])];
      for (const text of texts) {
        expect(text, table).to.include("kept_counts").and.not.include(`count(*)::int from ${table}`);
        expect(text.slice(0, text.indexOf(" as total")), table).not.to.include(table === "interactions" ? "t.leads" : "count(*)");
      }
    }
  });

  it("count as before with any other filter, with words and for callers who see some clients", async () => {
    const [{ page }] = lists.filter(({ table }) => table === "tasks") as [KeptList];
    for (const filters of [{ unnamed: true }, { status: ["open"], unnamed: true }])
      expect(page(tenant.organisation.id, filters).text).to.include("count(*)::int from tasks").and.not.include("kept_counts");
  });

  it("follow every table through triggers that no session turns off", async () => {
    const { rows } = await service.sql.query(
      `select tgrelid::regclass::text as name, string_agg(tgname, ' ' order by tgname) as triggers from pg_trigger
        where tgenabled = 'A' and tgname in ('counted', 'uncounted', 'emptied') group by 1 order by 1`,
    );
    expect(rows).to.deep.equal(KEPT.map((name) => ({ name, triggers: "counted emptied uncounted" })));
  });

  it("equal the rows after single writes, an import, a change of status, bulk edits and a fold", async () => {
    const { owner } = tenant;
    const shown = async (query = "") => (await owner.get(`/companies?limit=1${query}`)).body.total as number;
    const check = async (all: number, archived: number) => {
      expect([await shown(), await shown("&status=archived"), await shown("&status=active,archived,active")]).to.deep.equal([
        all,
        archived,
        all,
      ]);
      expect(await wrongCounts(service.sql)).to.deep.equal([]);
    };
    const [first, second] = [await tenant.company(), await tenant.company()];
    await check(2, 0);
    expect((await owner.patch(`/companies/${first.id}`, { status: "archived" })).status).to.equal(200);
    await check(2, 1);
    await service.sql.query(FOLD);
    await check(2, 1);
    const imported = await sendSheet(owner, "company", "Naam\nEen\nTwee\nDrie\n", "?dry_run=false");
    expect(imported.status, imported.text).to.equal(200);
    await check(5, 1);
    const { body } = await owner.get("/companies?limit=200");
    const ids = body.items.map(({ id }: { id: string }) => id);
    const archived = await owner.post("/bulk/company/update", { ids: ids.slice(0, 3), values: { status: "archived" } });
    expect(archived.status, archived.text).to.equal(200);
    await check(
      5,
      (
        await service.sql.query("select count(*)::int from companies where organisation_id = $1 and status = 'archived'", [
          tenant.organisation.id,
        ])
      ).rows[0].count,
    );
    await owner.delete(`/companies/${second.id}`);
    expect((await owner.post("/bulk/company/delete", { ids })).status).to.equal(200);
    await service.sql.query(FOLD);
    await check(0, 0);
  });

  it("show each transaction its own writes, and no other's before their commit", async () => {
    const [one, other] = writers as [pg.Client, pg.Client];
    const before = await totalOf(one, "companies");
    await one.query("begin");
    await add(one, ["A", "B", "C"]);
    expect(await totalOf(one, "companies")).to.equal(before + 3);
    await other.query("begin");
    await add(other, ["D"], "archived");
    await other.query("savepoint half");
    await add(other, ["E", "F"]);
    expect(await totalOf(other, "companies")).to.equal(before + 3);
    await other.query("rollback to savepoint half");
    expect(await totalOf(other, "companies")).to.equal(before + 1);
    expect(await totalOf(other, "companies", { status: ["archived"] })).to.equal(1);
    await service.sql.query(FOLD);
    expect([await totalOf(one, "companies"), await totalOf(other, "companies")]).to.deep.equal([before + 3, before + 1]);
    await one.query("rollback");
    await other.query("commit");
    expect(await totalOf(one, "companies")).to.equal(before + 1);
    expect(await wrongCounts(service.sql)).to.deep.equal([]);
  });

  it("wait for no other writer, and neither does a fold", async () => {
    const [one, other] = writers as [pg.Client, pg.Client];
    for (const writer of writers) await writer.query("set lock_timeout = 1");
    await service.sql.query("begin");
    await service.sql.query(FOLD);
    await one.query("begin");
    await add(one, ["G"]);
    await add(other, ["H"]);
    expect((await other.query(FOLD)).rows).to.deep.equal([{ changes: "0" }]);
    await service.sql.query("rollback");
    await other.query(FOLD);
    await one.query("commit");
    for (const writer of writers) await writer.query("reset lock_timeout");
    expect(await wrongCounts(service.sql)).to.deep.equal([]);
  });

  it("follow a table that is emptied or filled at once, and a deleted organisation", async () => {
    const superuser = new pg.Client({ connectionString: service.database.superuser });
    await superuser.connect();
    await superuser.query("begin");
    await superuser.query("set local session_replication_role = replica");
    await add(superuser, ["I", "J"]);
    expect(await wrongCounts(superuser)).to.deep.equal([]);
    await superuser.query("delete from companies where organisation_id = $1", [tenant.organisation.id]);
    await superuser.query("delete from organisations where id = $1", [tenant.organisation.id]);
    expect(await wrongCounts(superuser)).to.deep.equal([]);
    // The job of the service may be folding: this transaction waits for it, and then folds itself.
    await superuser.query("select pg_advisory_xact_lock(hashtextextended('fold_counts', 0))");
    await superuser.query(FOLD);
    const left = "select list from kept_counts where organisation_id = $1 and list = 'companies'";
    expect((await superuser.query(left, [tenant.organisation.id])).rows).to.deep.equal([]);
    await superuser.query("set local session_replication_role = origin");
    await superuser.query("truncate companies cascade");
    expect(await wrongCounts(superuser)).to.deep.equal([]);
    await superuser.query("rollback");
    await superuser.end();
  });
});
