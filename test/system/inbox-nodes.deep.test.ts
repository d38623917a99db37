import { expect } from "chai";
import { type Answer, type Call, send } from "../support/http.ts";
import { requireNats } from "../support/nodes/nats.ts";
import { type Nodes, startNodes } from "../support/nodes/nodes.ts";
import type { Caller, Tenant } from "../support/service.ts";
import { signIn } from "../support/sign-in.ts";
import { openStream, type Stream } from "../support/streams/stream.ts";

const PASSWORD = "a long enough password 42";

describe("inboxes over two nodes", function () {
  this.timeout(120_000);
  let nodes: Nodes;
  let tenant: Tenant;
  const streams: Stream[] = [];
  before(async function () {
    requireNats(this);
    nodes = await startNodes(2);
    tenant = await nodes.tenant("inboxes");
  });
  afterEach(() => {
    for (const stream of streams.splice(0)) stream.close();
  });
  after(() => nodes?.stop());

  const port = (node: number) => nodes.ports[node] as number;
  const call = (node: number, method: string, path: string, { key }: Pick<Caller, "key">, more: Call = {}): Promise<Answer> =>
    send(port(node), method, path, { host: tenant.host, key, ...more });
  /** Opens a stream at a node; gives it with its first event. */
  const follow = async (node: number, credential: Pick<Call, "key" | "cookie">): Promise<Stream> => {
    const stream = await openStream(port(node), "GET", "/notifications/stream", { host: tenant.host, ...credential });
    streams.push(stream);
    await stream.upTo(1);
    return stream;
  };
  const assign = async (node: number, { accountId }: Caller, title: string): Promise<void> => {
    const body = { title, assignees: [{ user_id: accountId, is_primary: true }] };
    const { status, text } = await call(node, "POST", "/tasks", tenant.owner, { body });
    expect(status, text).to.equal(201);
  };
  const reported = ({ events }: Stream) => events.map(({ event, data }) => [event, data.payload?.title ?? data.count]);

  it("show at one node a write at the other, no later than a stream shows it that began after the write", async () => {
    const anna = await tenant.member("member");
    const [here, there] = [await follow(0, { key: anna.key }), await follow(1, { key: anna.key })];
    await assign(0, anna, "Letter");
    // A stream starts with the result of a read that began after the write, and each read notifies all streams of its node.
    const later = await follow(1, { key: anna.key });
    expect(reported(later)).to.deep.equal([["unread", 1]]);
    const all = [
      ["unread", 0],
      ["notification", "Letter"],
      ["unread", 1],
    ];
    for (const stream of [there, here]) {
      await stream.upTo(3);
      expect(reported(stream)).to.deep.equal(all);
    }
    const { status } = await call(1, "POST", "/notifications/mark-all-read", anna);
    expect(status).to.equal(200);
    for (const stream of [here, there]) {
      await stream.upTo(4);
      expect(reported(stream)).to.deep.equal([...all, ["unread", 0]]);
    }
  });

  it("keep the order in which two nodes wrote, at both", async () => {
    const anna = await tenant.member("member");
    const both = [await follow(0, { key: anna.key }), await follow(1, { key: anna.key })];
    const titles = Array.from({ length: 10 }, (_, n) => `Letter ${n}`);
    for (const [n, title] of titles.entries()) await assign(n % 2, anna, title);
    for (const stream of both) {
      while (reported(stream).at(-1)?.[1] !== titles.length) await stream.upTo(stream.events.length + 1);
      expect(stream.events.flatMap(({ event, data }) => (event === "notification" ? [data.payload.title] : []))).to.deep.equal(
        titles,
      );
    }
  });

  it("end at one node when their caller signs out or loses the key at the other, and no one else's do", async () => {
    const anna = await tenant.member("member", { password: PASSWORD });
    const ben = await tenant.member("member");
    const cookie = await signIn(port(0), tenant.host, anna.email, PASSWORD);
    const byKey = await follow(1, { key: anna.key });
    const bySession = await follow(1, { cookie });
    const others = await follow(1, { key: ben.key });

    const signedOut = await send(port(0), "POST", "/auth/logout", { host: tenant.host, cookie, body: {} });
    expect(signedOut.status).to.equal(204);
    await bySession.whole;
    await assign(0, anna, "After the session");
    await byKey.upTo(3);
    expect(reported(bySession), "nothing more after sign-out").to.deep.equal([["unread", 0]]);

    const revoked = await call(0, "POST", `/api-keys/${anna.keyId}/revoke`, tenant.owner);
    expect(revoked.status, revoked.text).to.be.oneOf([200, 204]);
    await byKey.whole;
    await assign(0, anna, "After the key");
    await assign(0, ben, "For Ben");
    await others.upTo(3);
    expect(reported(byKey)).to.deep.equal([
      ["unread", 0],
      ["notification", "After the session"],
      ["unread", 1],
    ]);
    expect(reported(others)).to.deep.equal([
      ["unread", 0],
      ["notification", "For Ben"],
      ["unread", 1],
    ]);
  });
});
