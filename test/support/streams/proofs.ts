import { setTimeout as delay } from "node:timers/promises";
import { expect } from "chai";
import type pg from "pg";
import type { Call } from "../http.ts";
import { send } from "../http.ts";
import { until } from "../jobs.ts";
import type { Caller, Tenant } from "../service.ts";
import { signIn } from "../sign-in.ts";
import { openStream, type Stream } from "./stream.ts";

/** The service under test. */
export interface Streaming {
  port: number;
  sql: pg.Client;
  tenant: Tenant;
}

const PASSWORD = "a long enough password 42";
/** Longest time, in ms, from a change of access to the end of a stream on a busy machine. */
const SOON = 20_000;

/** Tests of streams, whether or not the gateway and their actor share a node. */
export function provesStreams(at: () => Streaming): void {
  const open = (path: string, call: Call = {}, method = "GET"): Promise<Stream> => {
    const { port, tenant } = at();
    return openStream(port, method, path, { host: tenant.host, key: tenant.owner.key, ...call });
  };
  const words = (body: object, call: Call = {}) => open("/proof/streams/words", { body, ...call }, "POST");
  const state = async () =>
    (await at().tenant.owner.get("/proof/streams/state")).body as { open: number; sent: number; gone: number };
  const nothingOpen = () => until(async () => (await state()).open === 0);
  /** Waits for a stream to end. @throws Error if it does not in time */
  const ends = (stream: Stream) =>
    Promise.race([stream.whole, delay(SOON, undefined, { ref: false }).then(() => expect.fail("still open"))]);
  const ticking = async (call: Call = {}) => {
    const stream = await open("/proof/streams/ticks", call);
    await stream.upTo(2);
    return stream;
  };

  it("send their events as they come up, and end", async () => {
    const stream = await words({ text: "to be sent" });
    expect(stream.status).to.equal(200);
    expect(stream.headers).to.include({
      "content-type": "text/event-stream",
      "cache-control": "no-store",
      "x-accel-buffering": "no",
      "x-content-type-options": "nosniff",
    });
    expect(stream.headers).to.have.property("x-request-id");
    expect(stream.headers).to.not.have.property("content-length");
    expect(await stream.whole).to.deep.equal([
      { event: "text", data: { text: "to" } },
      { event: "text", data: { text: "be" } },
      { event: "text", data: { text: "sent" } },
      { event: "done", data: {} },
    ]);
    await nothingOpen();
  });

  it("are refused as any other call before their first byte: 401, 403, 422, and the action's own refusals", async () => {
    const { tenant } = at();
    const reader = await tenant.member("member", { grants: ["companies.company.read"] });
    const refusals = [
      [await words({ text: "a" }, { key: "kt_nobody" }), 401, "unauthorized"],
      [await words({ text: 1 }, { key: reader.key }), 403, "forbidden"],
      [await words({ text: 1 }), 422, "validation"],
      [await words({ text: "a", fails: "gate" }), 409, "conflict"],
    ] as const;
    for (const [stream, status, code] of refusals) {
      await stream.whole;
      expect([stream.status, stream.headers["content-type"]]).to.deep.equal([status, "application/json; charset=utf-8"]);
      expect(stream.body().error.code).to.equal(code);
    }
    expect(refusals[2][0].body().error.fields).to.have.property("text");
  });

  it("report a failure on the way as an error event, without details that callers must not see, and end without done", async () => {
    const refused = await words({ text: "a", fails: "refusal" });
    expect(await refused.whole).to.deep.equal([
      { event: "text", data: { text: "a" } },
      { event: "error", data: { code: "conflict", message: "errors.conflict" } },
    ]);
    const failed = await words({ text: "a", fails: "error" });
    expect((await failed.whole).at(-1)).to.deep.equal({
      event: "error",
      data: { code: "server_error", message: "errors.server" },
    });
  });

  it("are never kept for an Idempotency-Key", async () => {
    const headers = { "Idempotency-Key": `streamed ${at().port}` };
    expect((await words({ text: "once" }, { headers })).status).to.equal(200);
    const again = await words({ text: "once" }, { headers });
    await again.whole;
    expect([again.status, again.body().error.code]).to.deep.equal([409, "idempotency_conflict"]);
  });

  it("answer HEAD without a stream", async () => {
    const { port, tenant } = at();
    const { status, headers, text } = await send(port, "HEAD", "/proof/streams/ticks", {
      host: tenant.host,
      key: tenant.owner.key,
    });
    expect([status, headers["content-type"], text]).to.deep.equal([200, "text/event-stream", ""]);
    await nothingOpen();
  });

  it("notify their writer when the caller hangs up", async () => {
    const { gone } = await state();
    const stream = await ticking();
    expect((await state()).open).to.equal(1);
    expect(stream.events[1]).to.deep.equal({ event: "tick", id: "at-2", data: { n: 2 } });
    stream.close();
    await until(async () => (await state()).gone === gone + 1);
    await nothingOpen();
  });

  it("are written no faster than they are read", async () => {
    const EVENTS = 4000;
    const stream = await open(`/proof/streams/flood?events=${EVENTS}`);
    await stream.upTo(1);
    stream.pause();
    // The writer has stopped once three checks in a row see no progress: it may be waiting for a processor in between.
    let sent = await until(async () => (await state()).sent);
    for (let still = 0; still < 3; ) {
      const before = sent;
      await delay(300);
      ({ sent } = await state());
      still = sent === before ? still + 1 : 0;
    }
    expect(sent)
      .to.be.greaterThan(0)
      .and.lessThan(EVENTS / 2);
    stream.resume();
    expect(await stream.whole).to.have.length(EVENTS + 1);
    expect(stream.events.at(-1)?.event).to.equal("done");
  });

  it("call other actors with the caller's rights of that moment", async () => {
    const { tenant } = at();
    const stream = await open("/proof/streams/calls");
    const [{ data: first }] = (await stream.upTo(1)) as [Stream["events"][0]];
    await tenant.member("member");
    const events = await stream.whole;
    expect(events.map(({ event }) => event)).to.deep.equal(["reported", "reported", "done"]);
    expect(events[1]?.data).to.deep.equal({ total: first.total, again: true });
  });

  it("end when their caller may not call any more, and go on where only others' access has changed", async () => {
    const { port, sql, tenant } = at();
    const member = () => tenant.member("member", { grants: ["companies.company.read"], password: PASSWORD });
    const byKey = await member();
    const bySession = await member();
    const byMembership = await member();
    const byRole = await member();
    const stays = await member();
    const cookie = await signIn(port, tenant.host, bySession.email, PASSWORD);
    const of = ({ key }: Caller) => ticking({ key });
    const streams = {
      revoked: await of(byKey),
      signedOut: await openStream(port, "GET", "/proof/streams/ticks", { host: tenant.host, cookie }),
      deactivated: await of(byMembership),
      withoutPermission: await of(byRole),
      unchanged: await of(stays),
    };
    await streams.signedOut.upTo(1);

    await sql.query("update api_keys set revoked_at = now() where id = $1", [byKey.keyId]);
    await ends(streams.revoked);
    expect((await send(port, "POST", "/auth/logout", { host: tenant.host, cookie, body: {} })).status).to.equal(204);
    await ends(streams.signedOut);
    await sql.query("update memberships set deactivated_at = now() where id = $1", [byMembership.membershipId]);
    await ends(streams.deactivated);
    await sql.query("delete from membership_roles where membership_id = $1", [byRole.membershipId]);
    await ends(streams.withoutPermission);

    const { length } = streams.unchanged.events;
    await streams.unchanged.upTo(length + 2);
    streams.unchanged.close();
    await nothingOpen();
  });

  it("end when the credential expires by the clock", async () => {
    const { sql, tenant } = at();
    const caller = await tenant.member("member");
    await sql.query("update api_keys set expires_at = now() + interval '5 seconds' where id = $1", [caller.keyId]);
    await ends(await ticking({ key: caller.key }));
    await nothingOpen();
  });
}
