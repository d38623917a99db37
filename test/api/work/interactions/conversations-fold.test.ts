import { expect } from "chai";
import pg from "pg";
import { seeded } from "../../../support/lists/seeded.ts";
import { sharedService, type Tenant, type TestService } from "../../../support/service.ts";

const CONVERSATIONS = 6;
const ROUNDS = 60;

/** The newest message of each conversation that person `$2` sees, newest first, said without the flag that rows keep. */
const REFERENCE = `select t.subject from interactions t where t.organisation_id = $1 and (t.status = 'logged' or t.owner_account_id = $2)
  and (t.status <> 'logged' or not exists (select 1 from interactions n where n.organisation_id = $1 and n.status = 'logged'
    and n.conversation_id = t.conversation_id and (n.occurred_at, n.id) > (t.occurred_at, t.id)))
  order by t.occurred_at desc, t.id`;

/** Does work that waits for another transaction, which commits then. */
async function behind(
  { database }: TestService,
  write: (first: pg.ClientBase) => Promise<unknown>,
  work: () => Promise<unknown>,
): Promise<void> {
  const first = new pg.Client({ connectionString: database.superuser });
  await first.connect();
  try {
    await first.query("begin");
    await write(first);
    const working = work();
    const waiting = "select 1 from pg_stat_activity where pg_backend_pid() = any(pg_blocking_pids(pid))";
    while ((await first.query(waiting)).rows.length === 0);
    await first.query("commit");
    await working;
  } finally {
    await first.end();
  }
}

describe("conversations in the list of contact moments", () => {
  let service: TestService;
  let tenant: Tenant;
  before(async () => {
    service = await sharedService();
    tenant = await service.tenant();
    // The kinds of the organisation come with the first call.
    await tenant.owner.get("/interactions/kinds");
  });
  after(() => service.stop());

  const asked = async (query = "") => {
    const { status, body, text } = await tenant.owner.get(`/interactions?limit=200${query}`);
    expect(status, text).to.equal(200);
    return [body.items.map(({ subject }: { subject: string }) => subject), body.total] as const;
  };

  it("show their newest message, however messages come, move and go", async () => {
    const { random, pick } = seeded(11);
    const conversations = Array.from({ length: CONVERSATIONS }, () => crypto.randomUUID());
    const owner = tenant.owner.accountId;
    const stranger = (await tenant.member("member")).accountId;
    const ids: string[] = [];
    const sql = (text: string, values: unknown[]) => service.sql.query(text, [tenant.organisation.id, ...values]);
    // Few moments, so that ids decide between some.
    const moment = () => new Date(Date.UTC(2026, 0, 1 + Math.floor(random() * 8))).toISOString();
    for (let round = 0; round < ROUNDS; round++) {
      const kind = random();
      const at = Math.floor(random() * ids.length);
      if (kind < 0.6 || ids.length === 0) {
        const id = crypto.randomUUID();
        ids.push(id);
        const status = random() < 0.2 ? "pending" : "logged";
        await sql(
          `insert into interactions (id, organisation_id, kind, subject, status, occurred_at, owner_account_id, conversation_id)
           values ($2, $1, 'email', $3, $4, $5, $6, $7)`,
          [id, `M${round}`, status, moment(), pick([owner, stranger]), pick(conversations)],
        );
      } else if (kind < 0.7)
        await sql("update interactions set status = 'logged', version = version + 1 where organisation_id = $1 and id = $2", [
          ids[at],
        ]);
      else if (kind < 0.8)
        await sql("update interactions set occurred_at = $3 where organisation_id = $1 and id = $2", [ids[at], moment()]);
      else if (kind < 0.9)
        await sql("update interactions set conversation_id = $3 where organisation_id = $1 and id = $2", [
          ids[at],
          pick(conversations),
        ]);
      else await sql("delete from interactions where organisation_id = $1 and id = $2", ids.splice(at, 1));
      const { rows } = await sql(REFERENCE, [owner]);
      const expected = rows.map(({ subject }) => subject);
      expect(await asked(), `round ${round}`).to.deep.equal([expected, expected.length]);
      // The same rows, found by searching for newer ones.
      expect(await asked("&kind=email"), `round ${round}, narrowed`).to.deep.equal([expected, expected.length]);
    }
  });

  it("show one message of a conversation that two transactions follow at once", async () => {
    const conversation = crypto.randomUUID();
    const insert = (client: pg.ClientBase, subject: string, day: number) =>
      client.query(
        `insert into interactions (id, organisation_id, kind, subject, occurred_at, owner_account_id, conversation_id)
         values ($2, $1, 'email', $3, $4, $5, $6)`,
        [
          tenant.organisation.id,
          crypto.randomUUID(),
          subject,
          new Date(Date.UTC(2028, 0, day)).toISOString(),
          tenant.owner.accountId,
          conversation,
        ],
      );
    await insert(service.sql, "First", 1);
    await behind(
      service,
      (first) => insert(first, "Second", 2),
      () => insert(service.sql, "Third", 3),
    );
    const { rows } = await service.sql.query("select subject from interactions where conversation_id = $1 and leads", [
      conversation,
    ]);
    expect(rows).to.deep.equal([{ subject: "Third" }]);
  });

  it("leave the version of a message that another has followed", async () => {
    const conversation = crypto.randomUUID();
    const ids = [crypto.randomUUID(), crypto.randomUUID()];
    const insert = (id: string | undefined, day: number) =>
      service.sql.query(
        `insert into interactions (id, organisation_id, kind, subject, occurred_at, owner_account_id, conversation_id)
         values ($2, $1, 'email', 'Follows', $3, $4, $5)`,
        [tenant.organisation.id, id, new Date(Date.UTC(2027, 0, day)).toISOString(), tenant.owner.accountId, conversation],
      );
    await insert(ids[0], 1);
    const before = await tenant.owner.get(`/interactions/${ids[0]}`);
    await insert(ids[1], 2);
    const after = await tenant.owner.get(`/interactions/${ids[0]}`);
    expect([after.headers["etag"], after.body]).to.deep.equal([
      before.headers["etag"],
      { ...before.body, conversation_count: 2 },
    ]);
    expect((await asked())[0].filter((subject: string) => subject === "Follows")).to.have.lengthOf(1);
  });
});
