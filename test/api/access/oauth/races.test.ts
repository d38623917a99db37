import { expect } from "chai";
import pg from "pg";
import type { Answer } from "../../../support/http.ts";
import { until } from "../../../support/jobs.ts";
import { waitingFor } from "../../../support/waiting.ts";
import { INVALID_GRANT, OAuthWorld, type Registered, refusedWith, type Session } from "./oauth-world.ts";

/** Requests that have all read before any of them could write. */
describe("OAuth requests that meet", () => {
  let world: OAuthWorld;
  let client: Registered;
  before(async () => {
    world = await OAuthWorld.open();
    client = await world.register();
  });
  after(() => world.service.stop());

  /** Sends requests one behind the other, each of which comes to wait for what `first` or one before it has locked, and commits after `then`. */
  async function behind(first: string, then: string | null, calls: readonly (() => Promise<Answer>)[]): Promise<Answer[]> {
    const other = new pg.Client({ connectionString: world.service.database.owner });
    await other.connect();
    try {
      await other.query("begin");
      await other.query(first);
      const late: Promise<Answer>[] = [];
      for (const call of calls) {
        late.push(call());
        await until(async () => (await waitingFor(other)) === late.length);
      }
      if (then) await other.query(then);
      await other.query("commit");
      return await Promise.all(late);
    } finally {
      await other.end();
    }
  }
  const thrice = <T>(call: T): T[] => [call, call, call];
  const keys = async (): Promise<number> => {
    const text =
      "select count(*)::int as n from api_keys where organisation_id = $1 and oauth_client_id is not null and revoked_at is null";
    return (await world.service.sql.query(text, [world.tenant.organisation.id])).rows[0].n;
  };

  it("redeem a code once, and leave the session to the first", async () => {
    const made = await world.code(client);
    const before = await keys();
    const lock = `select 1 from oauth_codes where code_hash = sha256('${made.code}'::bytea) for update`;
    const all = await behind(
      lock,
      null,
      thrice(() => world.redeem(client, made)),
    );
    expect(all.map(({ status }) => status).toSorted()).to.deep.equal([200, 400, 400]);
    const won = all.find(({ status }) => status === 200) as Answer;
    for (const lost of all.filter((answer) => answer !== won)) expect(refusedWith(lost)).to.deep.equal(INVALID_GRANT);
    expect([await world.status(won.body.access_token), await keys()]).to.deep.equal([200, before + 1]);
  });

  it("rotate a refresh token once, and get the same successor", async () => {
    const { refresh_token } = await world.session(client);
    const lock = `select 1 from oauth_refresh_tokens where token_hash = sha256('${refresh_token}'::bytea) for update`;
    const all = await behind(
      lock,
      null,
      thrice(() => world.refresh(client, refresh_token)),
    );
    expect(all.map(({ status }) => status)).to.deep.equal([200, 200, 200]);
    const sessions = all.map(({ body }) => body as Session);
    expect(new Set(sessions.map(({ access_token, refresh_token: next }) => `${access_token} ${next}`)).size).to.equal(1);
    expect(await world.status(sessions[0]?.access_token as string)).to.equal(200);
  });

  it("begin no session for a member who is removed meanwhile", async () => {
    const person = await world.as("member");
    const made = await person.code(client);
    const of = `memberships where id = '${person.person.membershipId}'`;
    const [answer] = await behind(`select 1 from ${of} for update`, `delete from ${of}`, [() => person.redeem(client, made)]);
    expect(refusedWith(answer as Answer)).to.deep.equal(INVALID_GRANT);
  });

  it("leave no session to a member who is removed as it begins, nor after a new invite", async () => {
    const [person, admin] = [await world.as("member"), await world.as("admin")];
    const made = await person.code(client);
    const lock = `select 1 from oauth_codes where code_hash = sha256('${made.code}'::bytea) for update`;
    const remove = () => admin.call("DELETE", `/members/${person.person.membershipId}`);
    const [begun, removed] = await behind(lock, null, [() => person.redeem(client, made), remove]);
    expect([begun?.status, removed?.status]).to.deep.equal([200, 204]);
    const invite = await admin.call("POST", "/members/invite", { email: person.person.email, send_email: false });
    expect(invite.status, invite.text).to.equal(201);
    expect(await world.status(begun?.body.access_token, "/meta/me")).to.equal(401);
    expect(refusedWith(await world.refresh(client, begun?.body.refresh_token))).to.deep.equal(INVALID_GRANT);
  });

  for (const [what, begin] of [
    ["begin", async (at: Registered) => world.code(at).then((made) => () => world.redeem(at, made))],
    [
      "refresh",
      async (at: Registered) =>
        world.session(at).then(
          ({ refresh_token }) =>
            () =>
              world.refresh(at, refresh_token),
        ),
    ],
  ] as const)
    it(`${what} no session of a client that is disconnected meanwhile`, async () => {
      const own = await world.register();
      const call = await begin(own);
      const revoke = `update oauth_clients set revoked_at = now() where client_id = '${own.client_id}'`;
      const [answer] = await behind(revoke, null, [call]);
      expect(refusedWith(answer as Answer)).to.deep.equal([401, "invalid_client", "errors.oauth_client_unknown"]);
    });

  it("refresh no session whose key is revoked meanwhile", async () => {
    const { access_token, refresh_token } = await world.session(client);
    const revoke = `update api_keys set revoked_at = now() where lookup = '${access_token.slice(3, 15)}'`;
    const [answer] = await behind(revoke, null, [() => world.refresh(client, refresh_token)]);
    expect(refusedWith(answer as Answer)).to.deep.equal(INVALID_GRANT);
  });

  it("consent to no client that is disconnected meanwhile", async () => {
    const own = await world.register();
    const revoke = `update oauth_clients set revoked_at = now() where client_id = '${own.client_id}'`;
    const [answer] = await behind(revoke, null, [() => world.approve({ client_id: own.client_id })]);
    expect([answer?.status, answer?.body.error.message]).to.deep.equal([400, "errors.oauth_client_unknown"]);
  });
});
