import { expect } from "chai";
import { strike } from "../../../support/jobs.ts";
import { CALLBACK, INVALID_GRANT, OAuthWorld, proof, type Registered, refusedWith } from "./oauth-world.ts";

describe("POST /oauth/token", () => {
  let world: OAuthWorld;
  let client: Registered;
  before(async () => {
    world = await OAuthWorld.open();
    client = await world.register({ client_name: "An app ☃".padEnd(150, "x") });
  });
  after(() => world.service.stop());

  describe("with a code", () => {
    it("gives tokens that are a personal key of the person, named after the client", async () => {
      const answer = await world.redeem(
        client,
        await world.code(client, { scopes: ["companies.company.read", "time.entry.read:own"] }),
      );
      expect([answer.status, answer.headers["cache-control"]]).to.deep.equal([200, "no-store"]);
      const { access_token, refresh_token, ...rest } = answer.body;
      expect(rest).to.deep.equal({ token_type: "Bearer", expires_in: 3600, scope: "companies.company.read time.entry.read:own" });
      expect(access_token).to.match(/^kt_[0-9a-f]{12}_[0-9a-f]{64}$/);
      expect(refresh_token).to.match(/^ktr_[0-9a-f]{64}$/);
      const [key] = (await world.call("GET", "/api-keys")).body;
      expect(key).to.deep.include({
        name: "An app ☃".padEnd(120, "x"),
        principal_type: "user",
        user_id: world.person.accountId,
        scopes: ["companies.company.read", "time.entry.read:own"],
        redacted: `${access_token.slice(0, 15)}_********`,
      });
      expect(Math.abs(Date.parse(key.expires_at) - Date.now() - 3_600_000)).to.be.lessThan(60_000);
      const me = (await world.with(access_token, "/meta/me")).body;
      expect(me).to.deep.include({ id: world.person.accountId, permissions: ["companies.company.read", "time.entry.read:own"] });
    });

    it("keeps no token but its digest", async () => {
      const session = await world.session(client);
      const next = await world.refreshed(client, session.refresh_token);
      for (const table of ["api_keys", "oauth_refresh_tokens", "oauth_codes", "access_audit"]) {
        const { rows } = await world.service.sql.query(`select t::text as row from ${table} t where organisation_id = $1`, [
          world.tenant.organisation.id,
        ]);
        const text = rows.map(({ row }) => row).join();
        for (const token of [session.access_token, session.refresh_token, next.access_token, next.refresh_token])
          expect(text, table).to.not.contain(token.slice(-64));
      }
    });

    it("takes the client by its secret where it has one", async () => {
      const confidential = await world.register({ token_endpoint_auth_method: "client_secret_post" });
      const code = await world.code(confidential);
      const refused = [401, "invalid_client", "errors.oauth_client_unknown"];
      const { client_id } = confidential;
      expect(refusedWith(await world.redeem({ client_id }, code)), "none").to.deep.equal(refused);
      expect(refusedWith(await world.redeem({ client_id, client_secret: "0".repeat(64) }, code)), "wrong").to.deep.equal(refused);
      expect((await world.redeem(confidential, code)).status).to.equal(200);
      expect((await world.session(client)).scope, "a public one needs none").to.equal("companies.company.read");
    });

    it("names the error of the request, and does not use up a code", async () => {
      const { code, verifier } = await world.code(client, { resource: `${world.origin}/mcp` });
      const all = {
        grant_type: "authorization_code",
        client_id: client.client_id,
        redirect_uri: CALLBACK,
        code,
        code_verifier: verifier,
      };
      const without = (name: keyof typeof all) => Object.fromEntries(Object.entries(all).filter(([key]) => key !== name));
      const cases: [what: string, sent: Record<string, string>, refused: unknown[]][] = [
        ["no client", without("client_id"), [400, "invalid_client", "errors.oauth_client_required"]],
        ["an empty client", { ...all, client_id: "" }, [400, "invalid_client", "errors.oauth_client_required"]],
        ["an unknown client", { ...all, client_id: "unknown" }, [401, "invalid_client", "errors.oauth_client_unknown"]],
        [
          "another grant",
          { ...all, grant_type: "password" },
          [400, "unsupported_grant_type", "errors.oauth_unsupported_grant_type"],
        ],
        ["no grant", without("grant_type"), [422, "invalid_request", "errors.validation"]],
        ["no code", without("code"), [400, "invalid_request", "errors.oauth_invalid_request"]],
        ["no redirect URI", without("redirect_uri"), [400, "invalid_request", "errors.oauth_invalid_request"]],
        ["no verifier", without("code_verifier"), [400, "invalid_request", "errors.oauth_invalid_request"]],
        ["another code", { ...all, code: "0".repeat(64) }, INVALID_GRANT],
        ["another redirect URI", { ...all, redirect_uri: `${CALLBACK}/` }, INVALID_GRANT],
        ["another verifier", { ...all, code_verifier: proof().verifier }, INVALID_GRANT],
        ["the challenge as verifier", { ...all, code_verifier: "x".repeat(43) }, INVALID_GRANT],
        ["another client", { ...all, client_id: (await world.register()).client_id }, INVALID_GRANT],
        [
          "another resource",
          { ...all, resource: `${world.origin}/mcp/x` },
          [400, "invalid_target", "errors.oauth_invalid_target"],
        ],
      ];
      for (const [what, sent, refused] of cases)
        expect(refusedWith(await world.form("/oauth/token", sent)), what).to.deep.equal(refused);
      expect((await world.form("/oauth/token", { ...all, resource: `${world.origin}/mcp` })).status).to.equal(200);
    });

    it("reads forms alone", async () => {
      const answer = await world.anonymous("POST", "/oauth/token", { grant_type: "authorization_code" });
      expect(refusedWith(answer)).to.deep.equal([415, "invalid_request", "errors.content_type"]);
    });

    it("takes a code for ten minutes", async () => {
      const made = await world.code(client);
      await world.shift("oauth_codes", "expires_at = now()", `code_hash = sha256('${made.code}'::bytea)`);
      expect(refusedWith(await world.redeem(client, made))).to.deep.equal(INVALID_GRANT);
    });

    it("takes no code of another organisation", async () => {
      const other = await OAuthWorld.open(world.service);
      const made = await world.code(client);
      expect(refusedWith(await other.redeem(client, made))[1]).to.equal("invalid_client");
      expect(refusedWith(await other.redeem(await other.register(), made))).to.deep.equal(INVALID_GRANT);
    });

    for (const [what, set, table] of [
      ["disabled", "is_active = false", "accounts"],
      ["deactivated", "deactivated_at = now()", "memberships"],
    ] as const)
      it(`takes no code of a person who was ${what} meanwhile`, async () => {
        const person = await world.as("member");
        const made = await person.code(client);
        const column = table === "accounts" ? "id" : "account_id";
        await world.service.sql.query(`update ${table} set ${set} where ${column} = $1`, [person.person.accountId]);
        expect(refusedWith(await person.redeem(client, made))).to.deep.equal(INVALID_GRANT);
      });

    it("lets one of several parallel redemptions through", async () => {
      const made = await world.code(client);
      const all = await Promise.all(Array.from({ length: 6 }, () => world.redeem(client, made)));
      const [won, ...others] = all.filter(({ status }) => status === 200);
      expect(others).to.deep.equal([]);
      for (const lost of all.filter((answer) => answer !== won)) expect(refusedWith(lost)).to.deep.equal(INVALID_GRANT);
      const { rows } = await world.service.sql.query(
        "select count(*)::int as n from oauth_codes c join api_keys k on k.id = c.key_id where c.code_hash = sha256($1::text::bytea)",
        [made.code],
      );
      expect(rows[0].n).to.equal(1);
    });

    it("ends the session of a code that is redeemed again by its client, for good", async () => {
      const made = await world.code(client);
      const first = (await world.redeem(client, made)).body;
      const stranger = await world.register();
      expect(refusedWith(await world.redeem(stranger, made))).to.deep.equal(INVALID_GRANT);
      expect(await world.status(first.access_token), "another client does nothing to it").to.equal(200);
      expect(refusedWith(await world.redeem(client, made, { code_verifier: proof().verifier }))).to.deep.equal(INVALID_GRANT);
      expect(await world.status(first.access_token)).to.equal(401);
      expect(refusedWith(await world.refresh(client, first.refresh_token))).to.deep.equal(INVALID_GRANT);
      expect((await world.audited("oauth.revoke")).at(-1)).to.deep.include({
        actor: null,
        target: world.person.accountId,
        detail: { by: "code_replay", client_id: client.client_id, client_name: "An app ☃".padEnd(150, "x"), sessions: 1 },
      });
    });
  });

  describe("with a refresh token", () => {
    it("returns the next tokens, and the former access token is invalid from then on", async () => {
      const first = await world.session(client);
      expect(await world.status(first.access_token)).to.equal(200);
      const answer = await world.refresh(client, first.refresh_token);
      expect([answer.status, answer.headers["cache-control"], answer.body.expires_in]).to.deep.equal([200, "no-store", 3600]);
      const next = answer.body;
      expect([next.access_token === first.access_token, next.refresh_token === first.refresh_token]).to.deep.equal([
        false,
        false,
      ]);
      expect([await world.status(first.access_token), await world.status(next.access_token)]).to.deep.equal([401, 200]);
      const last = await world.refreshed(client, next.refresh_token);
      expect([await world.status(next.access_token), await world.status(last.access_token)]).to.deep.equal([401, 200]);
    });

    it("is one key in the list of the person's, however often it is refreshed", async () => {
      const own = await world.as("member");
      const first = await own.session(client);
      const keys = async () =>
        (await own.call("GET", "/api-keys")).body.filter(({ name }: { name: string }) => name.startsWith("An app"));
      const [before] = await keys();
      await own.refreshed(client, first.refresh_token);
      const after = await keys();
      expect(after.map(({ id }: { id: string }) => id)).to.deep.equal([before.id]);
    });

    it("works after the access token has ended", async () => {
      const first = await world.session(client);
      await world.shift("api_keys", "expires_at = now()", `lookup = '${first.access_token.slice(3, 15)}'`);
      expect(await world.status(first.access_token)).to.equal(401);
      expect(await world.status((await world.refreshed(client, first.refresh_token)).access_token)).to.equal(200);
    });

    it("never widens, for any request", async () => {
      const resource = `${world.origin}/mcp`;
      const first = await world.session(client, { resource });
      const answer = await world.refresh(client, first.refresh_token, { scope: "mcp:full companies.company.write", resource });
      expect(answer.body.scope).to.equal("companies.company.read");
      const { access_token } = answer.body;
      const headers = { Authorization: `Bearer ${access_token}` };
      expect(
        (await world.service.call("POST", "/companies", { host: world.tenant.host, headers, body: { name: "x" } })).status,
      ).to.equal(403);
      const elsewhere = await world.refresh(client, answer.body.refresh_token, { resource: `${world.origin}/mcp/x` });
      expect(refusedWith(elsewhere)).to.deep.equal([400, "invalid_target", "errors.oauth_invalid_target"]);
      expect((await world.refresh(client, answer.body.refresh_token)).status, "it was not used up").to.equal(200);
    });

    it("lasts 90 days from each use", async () => {
      const first = await world.session(client);
      const tokens = "oauth_refresh_tokens";
      const own = `token_hash = sha256('${first.refresh_token}'::bytea)`;
      const { rows } = await world.service.sql.query(
        `select expires_at between now() + interval '89 days' and now() + interval '90 days' as lasts from ${tokens} where ${own}`,
      );
      expect(rows[0].lasts).to.equal(true);
      await world.shift(tokens, "expires_at = now()", own);
      expect(refusedWith(await world.refresh(client, first.refresh_token))).to.deep.equal(INVALID_GRANT);
      expect(await world.status(first.access_token), "that is no theft").to.equal(200);
    });

    it("refuses everything else alike", async () => {
      const first = await world.session(client);
      const stranger = await world.register();
      expect(refusedWith(await world.refresh(client, `ktr_${"0".repeat(64)}`)), "unknown").to.deep.equal(INVALID_GRANT);
      expect(refusedWith(await world.refresh(client, first.access_token)), "an access token").to.deep.equal(INVALID_GRANT);
      expect(refusedWith(await world.refresh(stranger, first.refresh_token)), "of another client").to.deep.equal(INVALID_GRANT);
      expect(refusedWith(await world.refresh(client, ""))).to.deep.equal([
        400,
        "invalid_request",
        "errors.oauth_invalid_request",
      ]);
      expect((await world.refresh(client, first.refresh_token)).status).to.equal(200);
    });

    it("is answered with the same successor for a lost response, while that is unused and for 30 seconds", async () => {
      const first = await world.session(client);
      const next = await world.refreshed(client, first.refresh_token);
      const again = await world.refreshed(client, first.refresh_token);
      expect([again.access_token, again.refresh_token]).to.deep.equal([next.access_token, next.refresh_token]);
      expect(await world.status(again.access_token)).to.equal(200);
      // A second is left: where a busy machine needs longer for the call, it is tried with another session.
      for (let isInTime = false; !isInTime; ) {
        const late = await world.session(client);
        const after = await world.refreshed(client, late.refresh_token);
        const began = performance.now();
        await world.shift(
          "oauth_refresh_tokens",
          "rotated_at = now() - interval '29 seconds'",
          `token_hash = sha256('${late.refresh_token}'::bytea)`,
        );
        const { status, body } = await world.refresh(client, late.refresh_token);
        isInTime = performance.now() - began < 1000;
        if (isInTime) expect([status, body.refresh_token]).to.deep.equal([200, after.refresh_token]);
      }
      const stranger = await world.register();
      expect(refusedWith(await world.refresh(stranger, first.refresh_token))).to.deep.equal(INVALID_GRANT);
    });

    it("gives several parallel refreshes the same successor", async () => {
      const first = await world.session(client);
      const all = await Promise.all(Array.from({ length: 5 }, () => world.refreshed(client, first.refresh_token)));
      expect(new Set(all.map(({ refresh_token }) => refresh_token)).size).to.equal(1);
      expect(await world.status(all[0]?.access_token as string)).to.equal(200);
    });

    for (const [when, prepare] of [
      [
        "after 30 seconds",
        (_next: string, old: string) =>
          world.shift(
            "oauth_refresh_tokens",
            "rotated_at = now() - interval '31 seconds'",
            `token_hash = sha256('${old}'::bytea)`,
          ),
      ],
      ["once its successor was used", async (next: string) => void (await world.refreshed(client, next))],
    ] as const)
      it(`ends the whole session when a rotated one is used ${when}`, async () => {
        const first = await world.session(client);
        const next = await world.refreshed(client, first.refresh_token);
        await prepare(next.refresh_token, first.refresh_token);
        const stranger = await world.register();
        expect(refusedWith(await world.refresh(stranger, first.refresh_token)), "by another").to.deep.equal(INVALID_GRANT);
        const { rows: before } = await world.service.sql.query(
          "select 1 from api_keys where revoked_at is null and lookup = $1",
          [next.access_token.slice(3, 15)],
        );
        expect(refusedWith(await world.refresh(client, first.refresh_token))).to.deep.equal(INVALID_GRANT);
        expect(await world.status(next.access_token)).to.equal(401);
        expect(refusedWith(await world.refresh(client, next.refresh_token))).to.deep.equal(INVALID_GRANT);
        expect(before.length).to.equal(when.startsWith("after") ? 1 : 0);
        expect((await world.audited("oauth.revoke")).at(-1)?.detail).to.include({ by: "refresh_replay", sessions: 1 });
      });

    it("keeps the content of a lost response as long as it may be repeated, and no longer", async () => {
      const first = await world.session(client);
      const next = await world.refreshed(client, first.refresh_token);
      const kept = async (token: string) =>
        (
          await world.service.sql.query("select successor from oauth_refresh_tokens where token_hash = sha256($1::text::bytea)", [
            token,
          ])
        ).rows[0].successor;
      expect(await kept(first.refresh_token)).to.match(/^v1\./);
      await world.refreshed(client, next.refresh_token);
      expect(await kept(first.refresh_token), "once its successor was used").to.equal(null);
      await world.shift(
        "oauth_refresh_tokens",
        "rotated_at = now() - interval '31 seconds'",
        `token_hash = sha256('${next.refresh_token}'::bytea)`,
      );
      await strike(world.service, "access.clear-oauth");
      expect(await kept(next.refresh_token), "after its time").to.equal(null);
    });
  });

  it("refuses a refresh token as a key: 401 in X-API-Key, ignored as bearer", async () => {
    const { refresh_token } = await world.session(client);
    const { host } = world.tenant;
    const asKey = await world.service.call("GET", "/companies", { host, key: refresh_token, cookie: world.cookie });
    expect(asKey.status).to.equal(401);
    const headers = { Authorization: `Bearer ${refresh_token}` };
    expect((await world.service.call("GET", "/companies", { host, headers })).status).to.equal(401);
    expect(
      (await world.service.call("GET", "/companies", { host, headers, cookie: world.cookie })).status,
      "the session counts",
    ).to.equal(200);
  });

  it("is cleared by the job for expired rows", async () => {
    const [gone, kept] = [await world.session(client), await world.session(client)];
    const used = await world.code(client);
    const hash = (token: string) => `token_hash = sha256('${token}'::bytea)`;
    await world.shift("oauth_refresh_tokens", "expires_at = now() - interval '1 second'", hash(gone.refresh_token));
    await world.shift("api_keys", "expires_at = now() - interval '1 second'", `lookup = '${gone.access_token.slice(3, 15)}'`);
    await world.shift("oauth_codes", "expires_at = now() - interval '25 hours'", `code_hash = sha256('${used.code}'::bytea)`);
    await strike(world.service, "access.clear-oauth");
    const { rows } = await world.service.sql.query(
      `select (select count(*)::int from oauth_codes where code_hash = sha256($1::text::bytea)) as codes,
         (select revoked_at is not null from api_keys where lookup = $2) as ended, (select revoked_at is not null from api_keys where lookup = $3) as kept`,
      [used.code, gone.access_token.slice(3, 15), kept.access_token.slice(3, 15)],
    );
    expect(rows[0]).to.deep.equal({ codes: 0, ended: true, kept: false });
    expect((await world.refresh(client, kept.refresh_token)).status).to.equal(200);
  });
});
